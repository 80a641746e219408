//go:build unix

package recipe

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/testtool"
)

// standIn is a program that says of itself what a hob-holder says.
func standIn(build string) []byte {
	return []byte("#!/bin/sh\necho hob-holder " + build + " 5 linux/amd64\nexit 0\n" + strings.Repeat("# as long as a program\n", 10000))
}

func programOf(name string, content []byte) Program {
	sum := sha256.Sum256(content)
	return Program{Name: name, Size: int64(len(content)), Sum: hex.EncodeToString(sum[:])}
}

// install sends content as the program p.
func (p *place) install(program Program, content []byte) (Holder, string, string) {
	p.t.Helper()
	s := p.open()
	rest := bytes.NewReader(content)
	next := func() []byte {
		buf := make([]byte, 32<<10)
		n, _ := rest.Read(buf)
		if n == 0 {
			return nil
		}
		return buf[:n]
	}
	a, err := s.Stream(p.t.Context(), Install(program, random()), patience, next)
	if err != nil {
		p.t.Fatal(err)
	}
	return ParseInstalled(a.Out)
}

// data returns the files below the directory of installed programs, with their modes.
func (p *place) data() []string {
	p.t.Helper()
	dir := filepath.Join(p.home, ".local/share/hob")
	var found []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err // it was deleted a moment ago
		}
		name, _ := filepath.Rel(dir, file)
		found = append(found, fi.Mode().String()+" "+name)
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return found
}

func TestSettings(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		if got := p.ask(Settings()); got != "" {
			t.Errorf("without a file: %q", got)
		}
		file := filepath.Join(p.home, ".config", "hob", "config.toml")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("# \\ '$(x)'\n", 200_000)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := p.ask(Settings()); got != text[:1<<20] {
			t.Errorf("%d bytes, beginning with %.20q", len(got), got)
		}
		if err := os.Chmod(file, 0o666); err != nil { //nolint:gosec // that is the mistake
			t.Fatal(err)
		}
		if got := p.ask(Settings()); got != file+" can be changed by other users\n" {
			t.Errorf("others can write to it: %.80q", got)
		}
	})
}

func TestInstall(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		one, two := standIn("v1"), standIn("v2")
		first := programOf("v1", one)
		if h, word, text := ParseInstalled([]byte(p.ask(Installed(first)))); h.Program != "" || word != "" {
			t.Errorf("before: %+v %q %q", h, word, text)
		}
		want := Holder{Program: filepath.Join(p.home, ".local/share/hob/v1/hob-holder"), Build: "v1", Launch: 5, System: "linux/amd64"}
		if h, word, text := p.install(first, one); h != want {
			t.Fatalf("installed %+v %q %q", h, word, text)
		}
		if h, word, text := ParseInstalled([]byte(p.ask(Installed(first)))); h != want {
			t.Errorf("afterwards: %+v %q %q", h, word, text)
		}
		if h, _, _ := ParseInstalled([]byte(p.ask(Installed(programOf("v1", two))))); h.Program != "" {
			t.Errorf("another file counts as installed: %+v", h)
		}
		if h, word, text := p.install(programOf("v1", two), two); h.Build != "v2" || h.Program != want.Program {
			t.Errorf("replaced by %+v %q %q", h, word, text)
		}
		p.install(first, one)
		p.install(programOf("v2", two), two)
		if files := p.data(); !slices.Equal(files, []string{"drwx------ .", "drwx------ v1", "-rwx------ v1/hob-holder", "drwx------ v2", "-rwx------ v2/hob-holder"}) {
			t.Errorf("files %q", files)
		}
		hello := ParseHello([]byte(p.ask(Hello("m1"))))
		if h := hello.Holders; len(h) != 2 || h[0] != want || h[1].Build != "v2" || len(hello.Unfit) > 0 {
			t.Errorf("hello lists %+v, unfit %q", h, hello.Unfit)
		}
		if err := os.Chmod(want.Program, 0o600); err != nil {
			t.Fatal(err)
		}
		hello = ParseHello([]byte(p.ask(Hello("m1"))))
		if len(hello.Holders) != 1 || !slices.Equal(hello.Unfit, []string{want.Program + " is not executable"}) {
			t.Errorf("hello lists %+v, unfit %q", hello.Holders, hello.Unfit)
		}
	})
}

func TestInstallThatFails(t *testing.T) {
	const old = "v1"
	cases := []struct {
		name    string
		arrange func(t *testing.T, p *place, program *Program, content *[]byte)
		word    string
		text    string // part of the reason
	}{
		{"half of it", func(_ *testing.T, _ *place, _ *Program, content *[]byte) { *content = (*content)[:len(*content)/2] }, "cut", " bytes have arrived"},
		{"nothing", func(_ *testing.T, _ *place, _ *Program, content *[]byte) { *content = nil }, "cut", "0 of "},
		{"a changed byte", func(_ *testing.T, _ *place, _ *Program, content *[]byte) {
			*content = bytes.Clone(*content)
			(*content)[len(*content)-2] = 'X'
		}, "sum", ""},
		{"another program", func(_ *testing.T, _ *place, program *Program, content *[]byte) {
			*content = []byte("#!/bin/sh\necho a greeting\necho of another program >&2\n")
			*program = programOf(old, *content)
		}, "run", "of another program"},
		{"a program that may not run", func(_ *testing.T, _ *place, program *Program, content *[]byte) {
			*content = []byte("#!/no/such/interpreter\n")
			*program = programOf(old, *content)
		}, "run", ""},
		{"a directory that others can change", func(t *testing.T, p *place, _ *Program, _ *[]byte) {
			if err := os.Chmod(filepath.Join(p.home, ".local/share/hob"), 0o777); err != nil {
				t.Fatal(err)
			}
		}, "unsafe", "hob can be changed by other users"},
		{"a file that others can change", func(t *testing.T, p *place, _ *Program, _ *[]byte) {
			if err := os.Chmod(filepath.Join(p.home, ".local/share/hob", old, "hob-holder"), 0o722); err != nil {
				t.Fatal(err)
			}
		}, "unsafe", "hob-holder can be changed by other users"},
		{"a file of another user", func(t *testing.T, p *place, _ *Program, _ *[]byte) {
			testtool.NeedRoot(t)
			if err := os.Chown(filepath.Join(p.home, ".local/share/hob", old, "hob-holder"), testtool.OtherUser, -1); err != nil {
				t.Fatal(err)
			}
		}, "unsafe", "hob-holder belongs to another user"},
	}
	eachShell(t, func(t *testing.T, p *place) {
		for _, tc := range cases {
			t.Run(tc.name, func(t *testing.T) {
				p := newPlace(t, p.name)
				before := standIn(old)
				if h, word, text := p.install(programOf(old, before), before); word != "" {
					t.Fatalf("%+v %q %q", h, word, text)
				}
				content := standIn("v1")
				content = append(content, "# a later one\n"...)
				program := programOf(old, content)
				tc.arrange(t, p, &program, &content)
				files := p.data()
				if h, word, text := p.install(program, content); word != tc.word || !strings.Contains(text, tc.text) {
					t.Errorf("%+v %q %q, want %s with %q", h, word, text, tc.word, tc.text)
				}
				if now := p.data(); !slices.Equal(now, files) {
					t.Errorf("files %q, before %q", now, files)
				}
				if got, err := os.ReadFile(filepath.Join(p.home, ".local/share/hob", old, "hob-holder")); err != nil || !bytes.Equal(got, before) {
					t.Errorf("the program was changed (%v)", err)
				}
			})
		}
	})
}

// copies waits until a copy has begun, and reports whether it has.
func (p *place) copies() bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		begun, err := filepath.Glob(filepath.Join(p.home, ".local/share/hob/*/.new.*"))
		if err != nil || len(begun) > 0 {
			return err == nil
		}
	}
	return false
}

// Nothing is left of a copy whose connection is cut.
func TestInstallThatIsCut(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		content := standIn("v1")
		ctx, cut := context.WithCancel(t.Context())
		sent := 0
		next := func() []byte {
			if sent++; sent == 1 {
				return content[:1000]
			}
			if !p.copies() {
				return nil // the answer has the reason
			}
			cut() // Stream closes the channel then
			<-ctx.Done()
			return content[:1000]
		}
		if a, err := p.open().Stream(ctx, Install(programOf("v1", content), random()), patience, next); err == nil {
			t.Fatalf("the copy ended with %q, files %q", a.Out, p.data())
		}
		for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			files := p.data()
			if len(files) == 0 {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("files %q are left", files)
			}
		}
	})
}

func TestProgramUsersAndRemoval(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		dir := filepath.Join(p.home, ".local/share/hob")
		sleep, err := exec.LookPath("sleep")
		if err != nil {
			t.Fatal(err)
		}
		for _, build := range []string{"idle", "used", "gone"} {
			if err := os.MkdirAll(filepath.Join(dir, build), 0o700); err != nil {
				t.Fatal(err)
			}
			// cp and not this process writes it: a program that is open for writing cannot be run.
			if out, err := exec.Command("cp", sleep, filepath.Join(dir, build, "hob-holder")).CombinedOutput(); err != nil {
				t.Fatal(err, string(out))
			}
		}
		for _, build := range []string{"used", "used", "gone"} {
			cmd := exec.Command(filepath.Join(dir, build, "hob-holder"), "600")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				cmd.Process.Kill()
				cmd.Wait()
			})
		}
		if err := os.RemoveAll(filepath.Join(dir, "gone")); err != nil {
			t.Fatal(err)
		}
		program := func(build string) string { return filepath.Join(dir, build, "hob-holder") }
		uses, unsafe := ParseProgramUsers([]byte(p.ask(ProgramUsers())))
		if want := []ProgramUse{{"used", 0, program("idle")}, {"used", 2, program("used")}, {"deleted", 0, program("gone")}}; !slices.Equal(uses, want) || unsafe != "" {
			t.Errorf("uses %+v %q, want %+v", uses, unsafe, want)
		}
		uses, unsafe = ParseProgramUsers([]byte(p.ask(RemovePrograms())))
		if want := []ProgramUse{{"removed", 0, program("idle")}, {"kept", 2, program("used")}}; !slices.Equal(uses, want) || unsafe != "" {
			t.Errorf("removal %+v %q, want %+v", uses, unsafe, want)
		}
		if files := p.data(); len(files) != 3 {
			t.Errorf("files %q are left", files)
		}
	})
}

// The program of jobs with a holder is gone: a listing has what their files show.
func TestListOfHeldJobs(t *testing.T) {
	eachShell(t, func(t *testing.T, p *place) {
		write := func(id, name, text string) {
			file := filepath.Join(p.base, id, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{"job-1", "job-2", "job-3"} {
			write(id, "claim/x", "")
			write(id, "holder", "/hob-holder\n")
		}
		const state = `{"title":"a: 'b' ü"}`
		write("job-1", "state.json", state+"\n")
		write("job-1", "output.log", "one\n")
		write("job-3", "failed", "no\n")
		jobs := ParseList([]byte(p.ask(List(p.base, []string{"job-1", "job-2", "job-3"})))).Jobs
		if e := jobs["job-1"]; !e.Held || string(e.HeldState) != state || e.Sizes["output.log"] != 4 {
			t.Errorf("a job that runs: %+v", e)
		}
		if e := jobs["job-2"]; !e.Held || e.HeldState != nil || len(e.Sizes) > 0 {
			t.Errorf("a job without records: %+v", e)
		}
		if jobs["job-3"].Held {
			t.Error("a job that was not started is held")
		}
	})
}
