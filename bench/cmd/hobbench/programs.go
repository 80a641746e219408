//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program starts jobs and keeps their output: hob, a floor or tmux. It has a
// directory, a server and settings of its own, and its jobs end with [lab.release].
type program struct {
	name    string
	root    string   // of its files
	logs    string   // the directory of its logs
	env     []string // of its command lines
	base    []string // first words of its command lines
	started int      // jobs
	// inPlace: the command line that starts a job runs as long as the job.
	inPlace bool
	// start is the command line that starts job n.
	start   func(n int, argv []string) *exec.Cmd
	log     func(entry string) string // the path of an entry's log; empty: none
	kill    func(j *job) *exec.Cmd    // ends the newest job
	keepers func() []int              // the processes that supervise now
}

// job is the command line that started a job.
type job struct {
	client *exec.Cmd
	n      int
}

// command is a command line of the program itself.
func (p *program) command(args ...string) *exec.Cmd {
	words := append(slices.Clone(p.base), args...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = p.env
	return cmd
}

// launch starts the command line that starts a job, and does not wait for it.
func (p *program) launch(argv ...string) *job {
	p.started++
	cmd := p.start(p.started, argv)
	cmd.Stderr = os.Stderr // a file: no pipe that has to be read
	check(cmd.Start())
	if log, ok := cmd.Stdout.(*os.File); ok {
		check(log.Close())
	}
	return &job{cmd, p.started}
}

// wait waits for the command line.
func (j *job) wait() error {
	if err := j.client.Wait(); err != nil {
		return fmt.Errorf("%s: %w", j.client, err)
	}
	return nil
}

// waitStarted waits until the command line has started the job.
func (p *program) waitStarted(j *job) {
	if !p.inPlace {
		check(j.wait())
	}
}

// end kills the newest job.
func (p *program) end(j *job) {
	p.waitStarted(j)
	output(p.kill(j))
	if p.inPlace {
		_ = j.wait() // killed
	}
}

// floor starts jobs with as little as possible between them and their log: through
// floorpty, or with the log as their standard output.
func (l *lab) floor(pty bool) *program {
	dir := l.room("f")
	p := &program{name: "direct", logs: dir, inPlace: true}
	p.log = func(entry string) string { return filepath.Join(dir, entry) }
	var started []*exec.Cmd
	p.start = func(n int, argv []string) (cmd *exec.Cmd) {
		log := p.log(fmt.Sprintf("%d.log", n))
		if pty {
			cmd = exec.Command(l.bin("floorpty"), append([]string{log}, argv...)...)
		} else {
			cmd = exec.Command(argv[0], argv[1:]...)
			cmd.Stdout = must(os.OpenFile(log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600))
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}
		started = append(started, cmd)
		return cmd
	}
	// What is outside of the job's group stays: that is the floor.
	p.kill = func(j *job) *exec.Cmd {
		return exec.Command("kill", "-KILL", "--", "-"+strconv.Itoa(j.client.Process.Pid))
	}
	p.keepers = func() []int { return nil }
	if pty {
		p.name = "floorpty"
		p.keepers = func() (pids []int) {
			for _, cmd := range started {
				if pid := cmd.Process.Pid; !lookUp(pid).gone() {
					pids = append(pids, pid)
				}
			}
			return pids
		}
	}
	l.Cleanup(func() {
		for _, cmd := range started {
			if cmd.ProcessState == nil {
				_ = cmd.Process.Kill() // a hung-up terminal ends the job too
				_ = cmd.Wait()
			}
		}
	})
	return p
}

// settings keep every finished job of a run.
const settings = "[keep]\njobs = 100000\n"

// hob is the program itself; options are those of hob run.
func (l *lab) hob(options ...string) *program {
	dir := l.room("h")
	h := &program{name: "hob", root: filepath.Join(dir, "s"), base: []string{l.hobBin}}
	h.logs = filepath.Join(h.root, "jobs")
	config := filepath.Join(dir, "c")
	h.env = with("HOB_STATE_DIR="+h.root, "XDG_CONFIG_HOME="+config, "XDG_RUNTIME_DIR="+dir)
	check(os.MkdirAll(filepath.Join(config, "hob"), 0o700))
	check(os.WriteFile(filepath.Join(config, "hob", "config.toml"), []byte(settings), 0o600))
	h.start = func(_ int, argv []string) *exec.Cmd {
		return h.command(slices.Concat([]string{"run", "-b"}, options, []string{"--"}, argv)...)
	}
	h.log = func(entry string) string {
		if strings.HasPrefix(entry, ".") {
			return ""
		}
		return filepath.Join(h.logs, entry, "output.log")
	}
	h.kill = func(*job) *exec.Cmd { return h.command("kill", "--grace", "0s", "@") }
	h.keepers = h.holders
	l.Cleanup(h.killAll)
	return h
}

// holders are the holders of the jobs that run.
func (p *program) holders() (pids []int) {
	for _, path := range must(filepath.Glob(filepath.Join(p.logs, "*", "state.json"))) {
		var state struct {
			Holder struct {
				PID int `json:"pid"`
			} `json:"holder"`
			End *struct{} `json:"end"`
		}
		check(json.Unmarshal(must(os.ReadFile(path)), &state))
		if state.End == nil && state.Holder.PID > 0 {
			pids = append(pids, state.Holder.PID)
		}
	}
	return pids
}

// jobEnded is the exit code of hob kill for a job that ended by itself meanwhile.
const jobEnded = 4

func (p *program) killAll() {
	if _, err := os.Stat(p.root); err != nil {
		return // nothing was started
	}
	ids := strings.Fields(string(must(p.command("list", "--running", "-q").Output())))
	if len(ids) == 0 {
		return
	}
	kill := p.command(append([]string{"kill", "--grace", "0s"}, ids...)...)
	if out, err := kill.CombinedOutput(); err != nil && kill.ProcessState.ExitCode() != jobEnded {
		check(fmt.Errorf("%w: %s", err, out))
	}
}

// tmux is one server with a detached session a job, whose output is piped to the
// log; nil if it is not installed.
func (l *lab) tmux() *program {
	if !installed("tmux") {
		return nil
	}
	dir := l.room("t")
	conf := filepath.Join(dir, "conf")
	check(os.WriteFile(conf, []byte("set -g exit-empty off\nset -g default-shell /bin/sh\n"), 0o600))
	t := &program{name: "tmux", logs: filepath.Join(dir, "logs"), env: with()}
	t.base = []string{"tmux", "-S", filepath.Join(dir, "sock"), "-f", conf}
	check(os.Mkdir(t.logs, 0o700))
	t.log = func(entry string) string { return filepath.Join(t.logs, entry) }
	session := func(n int) string { return fmt.Sprintf("job%d", n) }
	t.start = func(n int, argv []string) *exec.Cmd {
		pipe := []string{";", "pipe-pane", "-t", session(n), "exec cat >>" + t.log(session(n))}
		return t.session(session(n), append(argv, pipe...)...)
	}
	t.kill = func(j *job) *exec.Cmd { return t.command("kill-session", "-t", session(j.n)) }
	t.keepers = func() []int {
		server, err := t.serverPID()
		if err != nil {
			return nil // not started yet
		}
		pids := []int{server}
		for _, child := range children(server) {
			if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", child)); strings.TrimSpace(string(name)) == "cat" {
				pids = append(pids, child) // of pipe-pane
			}
		}
		return pids
	}
	l.Cleanup(func() { _ = t.command("kill-server").Run() }) // it may not have been started
	return t
}

// session is the command line that makes a detached session of tmux for a command.
func (p *program) session(name string, argv ...string) *exec.Cmd {
	size := []string{"-x", strconv.Itoa(viewCols), "-y", strconv.Itoa(viewRows)}
	return p.command(slices.Concat([]string{"new-session", "-d", "-s", name}, size, argv)...)
}

func (p *program) serverPID() (int, error) {
	out, err := p.command("display-message", "-p", "#{pid}").Output()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// withTmux adds tmux to programs if it is installed.
func (l *lab) withTmux(programs ...*program) []*program {
	if t := l.tmux(); t != nil {
		return append(programs, t)
	}
	return programs
}

// starters are the floor, hob and, for jobs with a terminal, tmux.
func (l *lab) starters(pty bool) []*program {
	if !pty {
		return []*program{l.floor(false), l.hob("--no-pty")}
	}
	return l.withTmux(l.floor(true), l.hob())
}

// logWatch finds the logs of jobs that are new.
type logWatch struct {
	l    *lab
	p    *program
	seen map[string]bool // entries of the directory
	last time.Time       // when the last one was found
}

// watchLogs takes the logs that are there as known.
func (l *lab) watchLogs(p *program) *logWatch {
	w := &logWatch{l: l, p: p, seen: map[string]bool{}}
	for _, name := range w.names() {
		w.seen[name] = true
	}
	return w
}

func (w *logWatch) names() []string {
	dir, err := os.Open(w.p.logs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	check(err)
	defer dir.Close()
	return must(dir.Readdirnames(-1))
}

// next waits until n new logs are not empty, and returns the paths of those that
// are within limit. A log that was found is not looked at again.
func (w *logWatch) next(limit time.Duration, n int, every time.Duration) (found []string) {
	w.l.until(limit, every, func() bool {
		for _, name := range w.names() {
			if w.seen[name] {
				continue
			}
			path := w.p.log(name)
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				w.seen[name], w.last = true, time.Now()
				found = append(found, path)
			}
		}
		return len(found) >= n
	})
	return found
}

// one waits for one new log.
func (w *logWatch) one(limit time.Duration) string {
	found := w.next(limit, 1, time.Millisecond)
	if len(found) == 0 {
		check(errTooLate)
	}
	return found[0]
}

// errTooLate is the failure of a program whose output does not come.
var errTooLate = errors.New("the output is not in the log in time")

// waitSize waits until the log has size bytes, and reports whether that was within
// limit.
func (l *lab) waitSize(limit time.Duration, path string, size int64) bool {
	return l.until(limit, time.Millisecond, func() bool { return must(os.Stat(path)).Size() >= size })
}
