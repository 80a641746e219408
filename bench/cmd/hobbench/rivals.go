//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// rival is a program that does the same in part, with a server or socket
// directory of its own.
type rival struct {
	label string
	dir   string
	env   []string
	base  []string // first words of its command lines
	n     atomic.Int64
	// start is the command line for a job with that name and log.
	start func(name, log string, argv []string) []string
	kill  func(l *launched) *exec.Cmd
	pids  func() ([]int, error)
	quit  func() error
}

var _ killer = (*rival)(nil)

func (r *rival) name() string { return r.label }

func (r *rival) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = r.env
	return cmd
}

// tool is a command line of the rival itself.
func (r *rival) tool(args ...string) *exec.Cmd { return r.command(r.words(args...)...) }

func (r *rival) words(args ...string) []string { return append(slices.Clone(r.base), args...) }

func (r *rival) launch(argv []string) (*launched, error) {
	name := fmt.Sprintf("job%d", r.n.Add(1))
	cmd := r.command(r.start(name, filepath.Join(r.dir, "logs", name), argv)...)
	return &launched{client: cmd, id: name}, cmd.Start()
}

func (r *rival) logs() (string, func(string) string) {
	dir := filepath.Join(r.dir, "logs")
	return dir, func(entry string) string { return filepath.Join(dir, entry) }
}

func (r *rival) keepers() ([]int, error) { return r.pids() }

func (r *rival) killing(l *launched) (*exec.Cmd, error) { return r.kill(l), nil }

func (r *rival) close() error {
	if r.n.Load() == 0 {
		return nil
	}
	return r.quit()
}

// rival makes a rival's room, or nil if the program is not installed.
func (l *lab) rival(program string) (*rival, error) {
	if _, err := exec.LookPath(program); err != nil {
		return nil, nil
	}
	dir, err := l.room(program[:1])
	if err != nil {
		return nil, err
	}
	r := &rival{label: program, dir: dir, env: with()}
	l.use(r)
	return r, os.Mkdir(filepath.Join(dir, "logs"), 0o700)
}

// tmux is one server with a detached session a job, whose output is piped to
// the log.
func (l *lab) tmux() (*rival, error) {
	r, err := l.rival("tmux")
	if r == nil || err != nil {
		return nil, err
	}
	conf := filepath.Join(r.dir, "conf")
	if err := os.WriteFile(conf, []byte("set -g exit-empty off\nset -g default-shell /bin/sh\n"), 0o600); err != nil {
		return nil, err
	}
	r.base = []string{"tmux", "-S", filepath.Join(r.dir, "sock"), "-f", conf}
	r.start = func(name, log string, argv []string) []string {
		args := r.words("new-session", "-d", "-s", name, "-x", "120", "-y", "40")
		args = append(args, argv...)
		return append(args, ";", "pipe-pane", "-t", name, "exec cat >>"+log)
	}
	r.kill = func(j *launched) *exec.Cmd { return r.tool("kill-session", "-t", j.id) }
	r.pids = func() ([]int, error) {
		out, err := r.tool("display-message", "-p", "#{pid}").Output()
		if err != nil {
			return nil, err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			return nil, err
		}
		pids := []int{pid}
		for _, child := range children(pids) {
			if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", child)); err == nil && strings.TrimSpace(string(name)) == "cat" {
				pids = append(pids, child) // of pipe-pane
			}
		}
		return pids, nil
	}
	r.quit = func() error { return r.tool("kill-server").Run() }
	return r, nil
}
