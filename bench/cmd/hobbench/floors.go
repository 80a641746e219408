//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
)

// floor starts jobs with as little as possible between them and their log:
// through floorpty, or with the log file as their standard output.
type floor struct {
	dir     string
	program string // empty: none
	n       atomic.Int64
	started []*exec.Cmd
}

var _ killer = (*floor)(nil)

func (l *lab) floor(pty bool) (*floor, error) {
	dir, err := l.room("f")
	if err != nil {
		return nil, err
	}
	f := &floor{dir: dir}
	if pty {
		f.program = l.bin("floorpty")
	}
	l.use(f)
	return f, nil
}

func (f *floor) name() string {
	if f.program == "" {
		return "direct"
	}
	return "floorpty"
}

func (f *floor) launch(argv []string) (*launched, error) {
	log := filepath.Join(f.dir, fmt.Sprintf("%d.log", f.n.Add(1)))
	var cmd *exec.Cmd
	if f.program != "" {
		cmd = exec.Command(f.program, append([]string{log}, argv...)...)
	} else {
		out, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		defer out.Close()
		cmd = exec.Command(argv[0], argv[1:]...)
		cmd.Stdout = out
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f.started = append(f.started, cmd)
	return &launched{client: cmd}, nil
}

func (f *floor) logs() (string, func(string) string) {
	return f.dir, func(entry string) string { return filepath.Join(f.dir, entry) }
}

func (f *floor) keepers() ([]int, error) {
	if f.program == "" {
		return nil, nil
	}
	var pids []int
	for _, cmd := range f.started {
		if alive(cmd.Process.Pid) {
			pids = append(pids, cmd.Process.Pid)
		}
	}
	return pids, nil
}

// killing kills the group of the job: what reaches no further is the floor.
func (f *floor) killing(l *launched) (*exec.Cmd, error) {
	return exec.Command("kill", "-KILL", "--", "-"+strconv.Itoa(l.client.Process.Pid)), nil
}

func (f *floor) close() error {
	var errs []error
	for _, cmd := range f.started {
		if cmd.ProcessState != nil {
			continue // waited for
		}
		if alive(cmd.Process.Pid) {
			// A hung-up terminal ends the job too.
			errs = append(errs, cmd.Process.Kill())
		}
		_ = cmd.Wait() // killed
	}
	f.started = nil
	return errors.Join(errs...)
}
