// Package stage gives a test a home, a state root and a hob of its own, which
// run as other processes do: what a user, a script or an intruder can see of hob
// is tried from outside.
//
// The program is the test binary itself. A package that uses a stage has a
// TestMain that acts as a holder, as hob, or as whatever else it names, by the
// last part of the name that it was called by.
package stage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Patience is how long anything may take before a test calls it never.
const Patience = 60 * time.Second

// A Stage may be used concurrently.
type Stage struct {
	Dir     string // the home directory, and where the programs are
	State   string // the state root; made by the first job
	Runtime string // $XDG_RUNTIME_DIR: short, since sockets are below it
	Exe     string // this program under its real name
}

// New makes a stage on which this program is also found as hob and under the
// names of extras. What it made is removed when the test ends; the processes are
// the test's to end.
func New(t testing.TB, extras ...string) *Stage {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		t.Fatal(err)
	}
	runtime, err := os.MkdirTemp("", "hob")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(runtime) })
	dir := t.TempDir()
	for _, name := range append(extras, "hob") {
		if err := os.Symlink(exe, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return &Stage{Dir: dir, State: filepath.Join(dir, "state"), Runtime: runtime, Exe: exe}
}

// Program is the path of one of the names of this program.
func (s *Stage) Program(name string) string { return filepath.Join(s.Dir, name) }

// Environ is the environment that a hob on the stage gets, and nothing else.
func (s *Stage) Environ() []string {
	return []string{
		"HOB_STATE_DIR=" + s.State, "XDG_RUNTIME_DIR=" + s.Runtime, "HOME=" + s.Dir,
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh",
		// Under the race detector each process otherwise sleeps a second at its end.
		"GORACE=atexit_sleep_ms=0",
	}
}

// Command is hob with args, not yet started.
func (s *Stage) Command(args ...string) *exec.Cmd {
	return &exec.Cmd{Path: s.Program("hob"), Args: append([]string{"hob"}, args...), Dir: s.Dir, Env: s.Environ()}
}

// Ask runs a hob of its own to its end. A code other than 0 is an error as well,
// with what hob complained of.
func (s *Stage) Ask(args ...string) (stdout string, code int, err error) {
	cmd := s.Command(args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err = cmd.Start()
	if err == nil {
		timer := time.AfterFunc(Patience, func() { _ = cmd.Process.Kill() })
		err = cmd.Wait()
		timer.Stop()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return out.String(), exit.ExitCode(), fmt.Errorf("hob %s: exit %d: %s", strings.Join(args, " "), exit.ExitCode(), complaints.String())
	}
	if err != nil {
		err = fmt.Errorf("hob %s: %w: %s", strings.Join(args, " "), err, complaints.String())
	}
	return out.String(), 0, err
}

// Must is Ask where only success will do: what hob printed, without the line end.
func (s *Stage) Must(t testing.TB, args ...string) string {
	t.Helper()
	out, _, err := s.Ask(args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// Eventually waits for a condition, and says what it was if it never holds.
func Eventually(what string, ok func() bool) error {
	for late := time.Now().Add(Patience); !ok(); time.Sleep(3 * time.Millisecond) {
		if time.Now().After(late) {
			return fmt.Errorf("never: %s", what)
		}
	}
	return nil
}
