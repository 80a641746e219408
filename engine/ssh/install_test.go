//go:build unix

package ssh

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/build"
	"github.com/hobjobs/hob/internal/holderfile"
	"github.com/hobjobs/hob/internal/localjob"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// home gives a server's commands a home directory of their own.
func home(t *testing.T) (dir string, configure func(*sshtest.Server)) {
	t.Helper()
	dir = t.TempDir()
	return dir, func(s *sshtest.Server) { s.Env = append(s.Env, "HOME="+dir, "XDG_DATA_HOME=") }
}

// TestHolder has the tests that need the program, which takes seconds to build.
func TestHolder(t *testing.T) {
	t.Parallel()
	program := sshtest.BuildHolder(t)
	t.Run("installation", func(t *testing.T) {
		t.Parallel()
		testInstallHolder(t, program)
	})
	// Not parallel: it takes longest, and would begin when all others have.
	t.Run("start that is cut off", func(t *testing.T) { testHolderStartsOnce(t, program) })
}

func testInstallHolder(t *testing.T, program string) {
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for name, configure := range map[string]func(*sshtest.Server){
		"OpenSSH":     func(*sshtest.Server) {},
		"dropbear":    func(s *sshtest.Server) { s.Manner = sshtest.Dropbear },
		"one session": func(s *sshtest.Server) { s.MaxSessions = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, inHome := home(t)
			r := newRig(t, func(s *sshtest.Server) {
				inHome(s)
				configure(s)
			})
			done, err := r.b.InstallHolder(r.ctx(), "box", program)
			if err != nil {
				t.Fatal(err)
			}
			if done.Copied != int64(len(content)) || !strings.HasPrefix(done.Program, filepath.Join(dir, ".local/share/hob")) {
				t.Errorf("installed %+v", done)
			}
			if got, err := os.ReadFile(done.Program); err != nil || !bytes.Equal(got, content) {
				t.Errorf("the copy differs (%v)", err)
			}
			again, err := r.b.InstallHolder(r.ctx(), "box", program)
			if err != nil || again.Copied != 0 || again.Program != done.Program {
				t.Errorf("a second time: %+v, %v", again, err)
			}
			r.usesHolder(done.Program)
			left, err := r.b.UninstallHolders(r.ctx(), "box")
			if err != nil || len(left) != 1 || !left[0].Removed {
				t.Errorf("uninstalled %+v, %v", left, err)
			}
			if _, err := os.Stat(filepath.Join(dir, ".local/share/hob")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory is left: %v", err)
			}
			r.usesHolder("")
		})
	}
	t.Run("auto", func(t *testing.T) {
		t.Parallel()
		dir, inHome := home(t)
		r := newRig(t, inHome, withSettings(HostSettings{Holder: HolderAuto}))
		r.b.findHolder = func(holderfile.System) (string, error) { return program, nil }
		first, ok, err := r.launcher("")
		if !ok || err != nil || !strings.HasPrefix(first.Program, dir) {
			t.Errorf("the first start uses %+v, %v (%v)", first, ok, err)
		}
		r.usesHolder(first.Program)
	})
	t.Run("auto without a program", func(t *testing.T) {
		t.Parallel()
		_, inHome := home(t)
		var warned warnings
		r := newRig(t, inHome, withSettings(HostSettings{Holder: HolderAuto}), warned.option())
		r.usesHolder("")
		if text := warned.all(); !strings.Contains(text, "cannot be installed there") || !strings.Contains(text, "--holder FILE") {
			t.Errorf("warning %q", text)
		}
	})
	t.Run("never", func(t *testing.T) {
		t.Parallel()
		_, inHome := home(t)
		r := newRig(t, inHome, withSettings(HostSettings{Holder: HolderNever}))
		if _, err := r.b.InstallHolder(r.ctx(), "box", program); err != nil {
			t.Fatal(err)
		}
		r.usesHolder("")
		_, _, err := r.launcher("--queue")
		if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "--queue on box needs") || !strings.Contains(err.Error(), "holder =") {
			t.Errorf("--queue: %v", err)
		}
	})
	t.Run("installed by another program", func(t *testing.T) {
		t.Parallel()
		_, inHome := home(t)
		r := newRig(t, inHome)
		if _, _, err := r.launcher("--queue"); err == nil || err.Error() != "--queue on box needs hob-holder there: hob hosts install box" {
			t.Errorf("before: %v", err)
		}
		other := New(WithConfigFile(r.c.ConfigFile))
		defer other.Close()
		done, err := other.InstallHolder(r.ctx(), "box", program)
		if err != nil {
			t.Fatal(err)
		}
		if p, ok, err := r.launcher("--queue"); p.Program != done.Program || !ok || err != nil {
			t.Errorf("afterwards: %+v, %v, %v", p, ok, err)
		}
	})
	t.Run("that others can change", func(t *testing.T) {
		t.Parallel()
		_, inHome := home(t)
		r := newRig(t, inHome)
		done, err := r.b.InstallHolder(r.ctx(), "box", program)
		if err == nil {
			err = os.Chmod(done.Program, 0o722)
		}
		if err != nil {
			t.Fatal(err)
		}
		var warned warnings
		r.open(warned.option()) // a connection looks when it is made
		r.usesHolder("")
		if text := warned.all(); !strings.Contains(text, done.Program+" can be changed by other users") || !strings.Contains(text, "hob hosts install box") {
			t.Errorf("warning %q", text)
		}
		if _, err := r.b.InstallHolder(r.ctx(), "box", program); err == nil || !strings.Contains(err.Error(), "can be changed by other users. Correct that there") {
			t.Errorf("install: %v", err)
		}
	})
	t.Run("in a container", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		docker := filepath.Join(dir, "docker")
		testtool.WriteScript(t, docker, "exec env -i PATH=\"$PATH\" HOME='"+dir+"' sh")
		b := New(WithPatience(patient))
		defer b.Close()
		b.reach = func(context.Context, string) (shell.Transport, error) {
			return shell.NewEntrance([]string{docker}), nil
		}
		for _, want := range []int{len(content), 0} {
			if done, err := b.InstallHolder(t.Context(), "docker:web", program); err != nil || done.Copied != int64(want) {
				t.Errorf("installed %+v, %v", done, err)
			}
		}
		if left, err := b.UninstallHolders(t.Context(), "docker:web"); err != nil || len(left) != 1 || !left[0].Removed {
			t.Errorf("uninstalled %+v, %v", left, err)
		}
	})
	t.Run("cut in the middle", func(t *testing.T) {
		t.Parallel()
		dir, inHome := home(t)
		r := newRig(t, inHome)
		r.s.CutAfter(int64(len(content) / 2))
		if done, err := r.b.InstallHolder(r.ctx(), "box", program); !errors.Is(err, engine.ErrUnreachable) {
			t.Errorf("installed %+v, %v", done, err)
		}
		r.s.CutAfter(0)
		r.open()
		r.usesHolder("")
		for end := time.Now().Add(patient); ; time.Sleep(10 * time.Millisecond) {
			left, err := filepath.Glob(filepath.Join(dir, ".local/share/hob/*/*"))
			if err != nil || time.Now().After(end) {
				t.Fatalf("%q are left (%v)", left, err)
			}
			if len(left) == 0 {
				break
			}
		}
		if done, err := r.b.InstallHolder(r.ctx(), "box", program); err != nil || done.Copied == 0 {
			t.Errorf("installed %+v, %v", done, err)
		}
	})
	t.Run("for another system", func(t *testing.T) {
		t.Parallel()
		dir, inHome := home(t)
		r := newRig(t, inHome)
		c, err := r.b.host("box").connect(r.ctx(), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, system := range []string{"Linux riscv64", "Darwin arm64"} {
			c.Host.System = system
			if _, err := r.b.InstallHolder(r.ctx(), "box", program); err == nil || !strings.Contains(err.Error(), "the system of box is ") {
				t.Errorf("on %s: %v", system, err)
			}
		}
		c.Host.System = "SunOS sun4u"
		if _, err := r.b.InstallHolder(r.ctx(), "box", ""); err == nil || !strings.Contains(err.Error(), "no hob-holder for its system, SunOS sun4u") {
			t.Errorf("on an unknown system: %v", err)
		}
		if _, err := r.b.InstallHolder(r.ctx(), "box", "/bin/sh"); err == nil || !strings.Contains(err.Error(), "is not the program hob-holder") {
			t.Errorf("another program: %v", err)
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "*/*/*")); len(found) > 0 {
			t.Errorf("left %q", found)
		}
	})
}

// warnings are those that a backend has shown.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

func (w *warnings) option() Option {
	return WithWarnings(func(_, text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.texts = append(w.texts, text)
	})
}

func (w *warnings) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.texts, "\n")
}

// launcher returns how a job with the option needed is started.
func (r *rig) launcher(needed string) (recipe.Holder, bool, error) {
	r.Helper()
	h := r.b.host("box")
	c, err := h.connect(r.ctx(), true)
	if err != nil {
		r.Fatal(err)
	}
	return h.launcher(r.ctx(), c, needed)
}

// usesHolder expects that new jobs are started by that program; empty: by scripts.
func (r *rig) usesHolder(program string) {
	r.Helper()
	p, ok, err := r.launcher("")
	if p.Program != program || ok != (program != "") || err != nil {
		r.Errorf("new jobs are started by %+v, %v (%v), want %q", p, ok, err, program)
	}
}

func TestHolderForNewJobs(t *testing.T) {
	own := build.Version()
	one := func(build string, launch int) recipe.Holder {
		return recipe.Holder{Program: "/" + build, Build: build, Launch: launch}
	}
	for name, tc := range map[string]struct {
		holders []recipe.Holder
		want    string
	}{
		"none":                    {nil, ""},
		"another launch version":  {[]recipe.Holder{one("v0", localjob.Version-1), one("v9", localjob.Version+1)}, ""},
		"another build":           {[]recipe.Holder{one("v0", localjob.Version-1), one("v1", localjob.Version)}, "/v1"},
		"own build":               {[]recipe.Holder{one("v1", localjob.Version), one(own, localjob.Version), one("v2", localjob.Version)}, "/" + own},
		"own build, other format": {[]recipe.Holder{one(own, localjob.Version-1), one("v2", localjob.Version)}, "/v2"},
	} {
		if p, ok := forNewJobs(tc.holders); p.Program != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: %+v, want %q", name, p, tc.want)
		}
	}
}
