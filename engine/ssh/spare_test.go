//go:build unix

package ssh

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
)

// A host whose home cannot hold jobs keeps them in a private directory for temporary
// files, and a program that starts later finds them there.
func TestHostWithoutAUsableHome(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]string{"it cannot be made": "HOME=/dev/null/home", "there is none": "HOME="} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			if err := os.Chmod(tmp, 0o700|os.ModeSticky); err != nil {
				t.Fatal(err)
			}
			warned := make(chan string, 9)
			opt := WithWarnings(func(host, text string) { warned <- host + ": " + text })
			r := newRig(t, func(s *sshtest.Server) {
				s.Env = append(s.Env, "HOB_STATE_DIR=", "XDG_STATE_HOME=", env, "TMPDIR="+tmp)
			}, opt)
			j := r.start("echo hello; exec sleep 60")
			want := filepath.Join(tmp, "hob-"+strconv.Itoa(os.Geteuid()), "jobs")
			if filepath.Dir(filepath.Dir(j.OutputPath)) != want {
				t.Errorf("the output is in %s, want %s", j.OutputPath, want)
			}
			select {
			case text := <-warned:
				if !strings.Contains(text, want) || !strings.Contains(text, "[hosts.box] state_dir") {
					t.Errorf("the warning %q does not name %s and the setting", text, want)
				}
			default:
				t.Error("there is no warning")
			}
			if fi, err := os.Lstat(filepath.Dir(want)); err != nil || fi.Mode() != os.ModeDir|0o700 {
				t.Errorf("%v, %v", fi.Mode(), err)
			}
			r.e.Close()
			r.open(opt)
			if got, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil || got.Status != engine.Running {
				t.Errorf("later it is %s: %v", got.Status, err)
			}
			if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
				t.Error(err)
			}
			if got := r.read(j.ID); got != "hello\n" {
				t.Errorf("it printed %q", got)
			}
			if ok := r.b.Check(r.ctx(), "box", func(s Step) {
				if !s.OK {
					t.Errorf("check: %s: %s", s.Name, s.Text)
				}
			}); !ok {
				t.Error("the check fails")
			}
		})
	}
}

// A directory that the user chose is not replaced by another.
func TestStateDirThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env string
		set HostSettings
	}{
		"by the setting":  {"HOB_STATE_DIR=", HostSettings{StateDir: "/dev/null/state"}},
		"by the variable": {"HOB_STATE_DIR=/dev/null/state", HostSettings{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(s *sshtest.Server) { s.Env = append(s.Env, c.env) }, withSettings(c.set))
			_, err := r.e.Start(r.ctx(), engine.Spec{Script: "echo no", Host: "box"})
			if err == nil || !strings.Contains(err.Error(), "/dev/null/state") || !strings.Contains(err.Error(), "[hosts.box] state_dir") {
				t.Errorf("error %v", err)
			}
		})
	}
}
