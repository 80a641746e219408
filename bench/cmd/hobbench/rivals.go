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

// screen is a detached process a job with its log switched on.
func (l *lab) screen() (*rival, error) {
	r, err := l.rival("screen")
	if r == nil || err != nil {
		return nil, err
	}
	sockets := filepath.Join(r.dir, "sockets")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		return nil, err
	}
	conf := filepath.Join(r.dir, "conf")
	if err := os.WriteFile(conf, []byte("logfile flush 1\n"), 0o600); err != nil {
		return nil, err
	}
	r.env = with("SCREENDIR="+sockets, "TERM=xterm")
	r.start = func(name, log string, argv []string) []string {
		return append([]string{"screen", "-c", conf, "-L", "-Logfile", log, "-dmS", name}, argv...)
	}
	r.kill = func(j *launched) *exec.Cmd { return r.command("screen", "-S", j.id, "-X", "quit") }
	r.pids = func() ([]int, error) { return socketPIDs(sockets) }
	r.quit = func() error {
		entries, err := os.ReadDir(sockets)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := r.command("screen", "-S", e.Name(), "-X", "quit").Run(); err != nil {
				return fmt.Errorf("quit %s: %w", e.Name(), err)
			}
		}
		return nil
	}
	return r, nil
}

// socketPIDs reads the numbers of screen's processes off its sockets' names.
func socketPIDs(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), ".")
		pid, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("screen's socket %q: %w", e.Name(), err)
		}
		pids = append(pids, pid)
	}
	return pids, nil
}

// tsp is a queue with a server; the job owns its log.
func (l *lab) tsp() (*rival, error) {
	r, err := l.rival("tsp")
	if r == nil || err != nil {
		return nil, err
	}
	r.env = with("TS_SOCKET="+filepath.Join(r.dir, "sock"), "TMPDIR="+filepath.Join(r.dir, "logs"),
		"TS_SLOTS=100000", "TS_MAXFINISHED=100000")
	r.start = func(_, _ string, argv []string) []string { return append([]string{"tsp"}, argv...) }
	r.kill = func(*launched) *exec.Cmd { return r.command("tsp", "-k") }
	r.pids = func() ([]int, error) { return nil, nil }
	r.quit = func() error { return r.command("tsp", "-K").Run() }
	return r, nil
}
