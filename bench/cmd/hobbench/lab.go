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

const module = "github.com/hobjobs/hob"

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
	packages := []string{module + "/bench/cmd/lines", module + "/bench/cmd/floorpty", module + "/bench/cmd/floorlist"}
	if program == "" {
		packages = append(packages, module, module+"/cmd/hob-holder")
		l.hobBin = l.bin("hob")
	} else if l.hobBin, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	bin := l.path("bin") + string(filepath.Separator)
	for _, pkg := range packages {
		build := exec.CommandContext(ctx, "go", "build", "-o", bin, pkg)
		build.Env = with("CGO_ENABLED=0") // as hob is released
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
	}
	return l, nil
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
		cpu, strings.TrimSpace(string(kernel)), runtime.Version(), strings.Join(versions(), ", "))
}

// versions are those of the programs that hob is compared with.
func versions() []string {
	var found []string
	for _, args := range [][]string{{"tmux", "-V"}, {"screen", "--version"}, {"tsp", "-V"}, {"dtach", "--version"}} {
		if _, err := exec.LookPath(args[0]); err != nil {
			found = append(found, "no "+args[0])
			continue
		}
		out, _ := exec.Command(args[0], args[1:]...).CombinedOutput() // screen ends with 1
		first, _, _ := strings.Cut(string(out), "\n")
		for _, word := range strings.Fields(first) {
			word = strings.TrimLeft(word, "v")
			if word != "" && word[0] >= '0' && word[0] <= '9' {
				found = append(found, args[0]+" "+word)
				break
			}
		}
	}
	return found
}
