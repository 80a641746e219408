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
	"strings"
	"time"
)

// lab is the place of one run: a temporary directory with the programs built
// for it, and what was started there.
type lab struct {
	dir    string
	short  bool
	hobBin string // the hob that is measured
	stderr io.Writer
	n      int // supervisors made, for names
	open   []supervisor
}

func newLab(ctx context.Context, short bool, program string, stderr io.Writer) (_ *lab, err error) {
	// Sockets need a short path.
	dir, err := os.MkdirTemp("", "hobb")
	if err != nil {
		return nil, err
	}
	l := &lab{dir: dir, short: short, stderr: stderr}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	fmt.Fprintln(stderr, "building")
	if err := l.build(ctx, ".", "./cmd/lines", "./cmd/floorpty", "./cmd/floorlist"); err != nil {
		return nil, err
	}
	if program != "" {
		l.hobBin, err = filepath.Abs(program)
		return l, err
	}
	l.hobBin = l.bin("hob")
	return l, l.build(ctx, "..", ".", "./cmd/hob-holder")
}

// build builds programs of the module in dir, as hob is released.
func (l *lab) build(ctx context.Context, dir string, packages ...string) error {
	build := exec.CommandContext(ctx, "go", append([]string{"build", "-o", l.path("bin") + string(filepath.Separator)}, packages...)...)
	build.Dir, build.Env = dir, with("CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	return nil
}

// path is a path below the lab's directory.
func (l *lab) path(elem ...string) string {
	return filepath.Join(append([]string{l.dir}, elem...)...)
}

// bin is the path of a program built for this run.
func (l *lab) bin(name string) string { return l.path("bin", name) }

// room makes a new directory for one supervisor.
func (l *lab) room(name string) (string, error) {
	l.n++
	dir := l.path(fmt.Sprintf("%s%d", name, l.n))
	return dir, os.Mkdir(dir, 0o700)
}

// use has s closed with the lab, if it is not closed before.
func (l *lab) use(s supervisor) { l.open = append(l.open, s) }

// release ends what was started since the last release.
func (l *lab) release() error {
	var errs []error
	for _, s := range l.open {
		if err := s.close(); err != nil {
			errs = append(errs, fmt.Errorf("close %s: %w", s.name(), err))
		}
	}
	l.open = nil
	return errors.Join(errs...)
}

func (l *lab) close() {
	if err := l.release(); err != nil {
		fmt.Fprintln(l.stderr, "hobbench:", err)
	}
	// A holder may still write its last line.
	for range 20 {
		if err := os.RemoveAll(l.dir); err == nil {
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

// machine says in a line where this was measured.
func (l *lab) machine() string {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	cpu := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
				cpu = strings.TrimSpace(v)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores (%s), Linux %s, %s, %s", time.Now().Format(time.DateOnly), runtime.NumCPU(),
		cpu, strings.TrimSpace(string(kernel)), runtime.Version(), version())
}

// version is tmux's.
func version() string {
	out, err := exec.Command("tmux", "-V").Output()
	if err != nil {
		return "no tmux"
	}
	return strings.TrimSpace(string(out))
}
