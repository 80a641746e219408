//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// lab is the place of one run: a temporary directory with the programs built for
// it, and the cleanup of what was started there. It is a testing.TB, so that the
// SSH servers of the tests can be used. A measure fails by a panic, which [lab.do]
// returns as an error.
type lab struct {
	testing.TB // nil: only the methods below are used

	ctx     context.Context
	dir     string
	short   bool
	hobBin  string // the hob that is measured
	stderr  io.Writer
	stdout  io.Writer
	n       int // directories and files made, for their names
	cleanup []func()
}

// failure is the panic of a measure that cannot continue.
type failure struct{ error }

// check fails the measure unless err is nil.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// must is v, unless err fails the measure.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// do calls f, then what f left to clean up, and returns why f failed.
func (l *lab) do(f func()) error {
	defer l.release()
	return attempt(f)
}

// attempt calls f and returns why it failed.
func attempt(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			failed, ok := p.(failure)
			if !ok {
				panic(p)
			}
			err = failed.error
		}
	}()
	f()
	return nil
}

// Helper, Fatal, Fatalf, Cleanup, TempDir and Context are those of a testing.TB.
func (l *lab) Helper()                           {}
func (l *lab) Fatal(args ...any)                 { check(errors.New(fmt.Sprint(args...))) }
func (l *lab) Fatalf(format string, args ...any) { check(fmt.Errorf(format, args...)) }
func (l *lab) Cleanup(f func())                  { l.cleanup = append(l.cleanup, f) }
func (l *lab) TempDir() string                   { return l.room("t") }
func (l *lab) Context() context.Context          { return l.ctx }

// release cleans up, the newest first.
func (l *lab) release() {
	for len(l.cleanup) > 0 {
		last := len(l.cleanup) - 1
		f := l.cleanup[last]
		l.cleanup = l.cleanup[:last]
		if err := attempt(f); err != nil {
			fmt.Fprintln(l.stderr, "hobbench: clean up:", err)
		}
	}
}

// prepare makes the lab's directory and builds the programs; hob only if program,
// the path of one, is empty.
func (l *lab) prepare(program string) {
	l.dir = must(os.MkdirTemp("", "hobb")) // sockets need a short path
	fmt.Fprintln(l.stderr, "building")
	l.build(".", "./cmd/lines", "./cmd/floorpty", "./cmd/floorlist", "./cmd/floorui")
	if program != "" {
		l.hobBin = must(filepath.Abs(program))
		return
	}
	l.build("..", ".", "./cmd/hob-holder")
	l.hobBin = l.bin("hob")
}

// build builds programs of the module in dir, as hob is released.
func (l *lab) build(dir string, packages ...string) {
	build := exec.CommandContext(l.ctx, "go", append([]string{"build", "-o", l.path("bin") + "/"}, packages...)...)
	build.Dir, build.Env = dir, with("CGO_ENABLED=0")
	output(build)
}

func (l *lab) path(name string) string { return filepath.Join(l.dir, name) }

// bin is the path of a program built for this run.
func (l *lab) bin(name string) string { return l.path("bin/" + name) }

// fresh is a path below the lab's directory that no other call returns.
func (l *lab) fresh(name string) string {
	l.n++
	return l.path(fmt.Sprintf("%s%d", name, l.n))
}

// room makes a new directory.
func (l *lab) room(name string) string {
	dir := l.fresh(name)
	check(os.Mkdir(dir, 0o700))
	return dir
}

// close removes the lab's directory.
func (l *lab) close() {
	// A holder may still write its last line.
	for range 20 {
		if os.RemoveAll(l.dir) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Fprintln(l.stderr, "hobbench: left behind:", l.dir)
}

// count is full in a whole run and less in a short one.
func (l *lab) count(full, short int) int {
	if l.short {
		return short
	}
	return full
}

// until waits until ready returns true, which it calls at these intervals, and
// reports whether that was within limit.
func (l *lab) until(limit, every time.Duration, ready func() bool) bool {
	for end := time.Now().Add(limit); !ready(); pause(every) {
		check(l.ctx.Err())
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// rest waits, less long if the run is canceled.
func (l *lab) rest(d time.Duration) {
	select {
	case <-l.ctx.Done():
		check(l.ctx.Err())
	case <-time.After(d):
	}
}

// inTurns measures times rounds of all programs: each round takes every program
// once, so that a change of the machine's speed affects all of them alike.
func inTurns(times int, everyone []*program, measure func(k int, p *program)) {
	for range times {
		for k, p := range everyone {
			if err := attempt(func() { measure(k, p) }); err != nil {
				check(fmt.Errorf("%s: %w", p.name, err))
			}
		}
	}
}

// machine describes the machine in one line.
func (l *lab) machine() string {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	cpu := "unknown processor"
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
			cpu = strings.TrimSpace(v)
		}
	}
	tmux, err := exec.Command("tmux", "-V").Output()
	if err != nil {
		tmux = []byte("no tmux")
	}
	return fmt.Sprintf("%s, %d cores (%s), Linux %s, %s, %s", time.Now().Format(time.DateOnly), runtime.NumCPU(),
		cpu, strings.TrimSpace(string(kernel)), runtime.Version(), strings.TrimSpace(string(tmux)))
}

// output runs a command that must succeed and returns what it prints.
func output(cmd *exec.Cmd) string {
	out, err := cmd.CombinedOutput()
	if err != nil {
		check(fmt.Errorf("%s: %w: %s", cmd, err, out))
	}
	return string(out)
}

// installed reports whether a program is on PATH.
func installed(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// with is this process's environment with other values for some names.
func with(values ...string) []string {
	name := func(kv string) string { before, _, _ := strings.Cut(kv, "="); return before }
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return name(v) == name(kv) })
	})
	return append(env, values...)
}
