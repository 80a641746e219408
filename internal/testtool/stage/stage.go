// Package stage gives a test its own home, state directory and hob, which run as separate processes:
// what a user, a script or an intruder can see of hob is tested from outside.
//
// The program is the test binary itself. A package that uses a stage has a TestMain that acts as a
// holder, as hob, or as any other program it names, according to the last element of the name that
// it was called by.
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

	"github.com/hobjobs/hob/internal/testtool"
)

// Patience is how long a test waits for anything before it fails.
const Patience = 60 * time.Second

// A Stage may be used concurrently.
type Stage struct {
	Dir     string // the home directory, which also contains the programs
	State   string // the state directory; created by the first job
	Runtime string // $XDG_RUNTIME_DIR: short, since sockets are below it
	Exe     string // this program under its real name
}

// New creates a stage on which this program is also found as hob and under the names of extras. Its
// files are removed when the test ends; the test must end the processes.
func New(t testing.TB, extras ...string) *Stage {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		t.Fatal(err)
	}
	runtime, dir := testtool.TempDir(t), testtool.TempDir(t)
	for _, name := range append(extras, "hob") {
		if err := os.Symlink(exe, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return &Stage{Dir: dir, State: filepath.Join(dir, "state"), Runtime: runtime, Exe: exe}
}

// Program returns the path of this program under one of its names.
func (s *Stage) Program(name string) string { return filepath.Join(s.Dir, name) }

// Environ returns the complete environment of a hob on the stage.
func (s *Stage) Environ() []string {
	return []string{
		"HOB_STATE_DIR=" + s.State, "XDG_RUNTIME_DIR=" + s.Runtime, "HOME=" + s.Dir,
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh",
		// Under the race detector each process otherwise sleeps a second when it exits.
		"GORACE=atexit_sleep_ms=0",
	}
}

// Command returns hob with args, not yet started.
func (s *Stage) Command(args ...string) *exec.Cmd {
	return &exec.Cmd{Path: s.Program("hob"), Args: append([]string{"hob"}, args...), Dir: s.Dir, Env: s.Environ()}
}

// Ask runs a separate hob until it exits. An exit code other than 0 is an error as well, with hob's
// error message.
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

// Must is Ask that fails the test on any error. It returns what hob printed, without the line end.
func (s *Stage) Must(t testing.TB, args ...string) string {
	t.Helper()
	out, _, err := s.Ask(args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// Eventually waits for a condition, and names it if it never holds.
func Eventually(what string, ok func() bool) error {
	for late := time.Now().Add(Patience); !ok(); time.Sleep(3 * time.Millisecond) {
		if time.Now().After(late) {
			return fmt.Errorf("never: %s", what)
		}
	}
	return nil
}
