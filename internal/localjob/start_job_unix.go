//go:build linux || darwin

package localjob

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
)

// childFiles are the job's ends of its descriptors.
type childFiles struct {
	std [3]*os.File
	// ctty is the index in std of the controlling terminal, -1 for none.
	ctty   int
	mine   []*os.File // closed after the start
	passed files      // closed as well
}

func (c *childFiles) close() {
	closeAll(c.mine)
	c.passed.close()
	c.mine, c.passed = nil, nil
}

// stdin returns the file passed as stdin, or nil.
func (c *childFiles) stdin() *os.File { return c.passed[0] }

// useStderr uses the file passed as stderr, if any.
func (c *childFiles) useStderr() {
	if stderr := c.passed[2]; stderr != nil {
		c.std[2] = stderr
	}
}

// prepare opens everything that the job needs.
func (j *job) prepare(files *childFiles, held *jobdir.FileLock, w *waited) (err error) {
	terminal := j.meta.Kind == "pty"
	if terminal {
		if j.tty, err = openTTY(j.meta.InitialSize); err != nil {
			// Run the job without a terminal, and print that, rather than not at all.
			j.noTTY, terminal = err, false
		}
	}
	hooks := j.hooks()
	var alive *jobdir.Alive
	if w != nil {
		alive, hooks.Ended = w.alive, w.leave
	}
	j.h, err = holder.Open(holder.Config{
		Dir: j.cfg.Dir, Lock: held, Alive: alive, Meta: j.meta, RuntimeDir: j.cfg.RuntimeDir,
		OwnLog: !terminal, Terminal: terminal, Foreground: terminal && !j.meta.StartInBackground, Hooks: hooks,
	})
	if err != nil {
		return errors.Join(fmt.Errorf("hold the job: %w", err), j.closeFiles())
	}
	j.prompt = newPrompter(j)
	defer files.useStderr()
	if terminal {
		j.in = &input{f: j.tty.master, tty: j.tty}
		files.useTTY(j.tty)
		return nil
	}
	if err := j.openFiles(files); err != nil {
		return errors.Join(err, j.h.Close(), j.closeFiles())
	}
	j.h.ReserveEnd()
	return nil
}

func (c *childFiles) useTTY(t *tty) {
	c.std, c.ctty = [3]*os.File{t.slave, t.slave, t.slave}, 1
	if stdin := c.stdin(); stdin != nil {
		c.std[0] = stdin
	}
}

// openFiles opens the log files that the job owns, and its input.
func (j *job) openFiles(files *childFiles) error {
	stdin := files.stdin()
	logs, err := openOwnLogs(j.cfg.Dir, j.meta.Split, j.meta.LogLimit)
	if err != nil {
		return err
	}
	j.logs = logs
	files.std[1], files.std[2] = logs.stdout(), logs.stderr()
	if j.meta.Stdin == "tty" && stdin == nil {
		if j.tty, err = openTTY(j.meta.InitialSize); err != nil {
			j.noTTY = err
		}
	}
	if j.noTTY != nil {
		j.h.WithoutTerminal()
		logs.append([]byte("[hob: no terminal: " + errorText(j.noTTY) + "; running without one]\n"))
	}
	switch {
	case stdin != nil:
		files.std[0] = stdin
	case j.meta.Stdin == "pipe", j.noTTY != nil:
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		files.mine = append(files.mine, r)
		files.std[0], j.in = r, &input{f: w, lines: j.noTTY != nil}
	case j.tty != nil:
		files.std[0], files.ctty = j.tty.slave, 0
		j.in = &input{f: j.tty.master, tty: j.tty, final: true, echo: &echo{tty: j.tty, own: j.own, emit: logs.append}}
	default:
		null, err := os.Open(os.DevNull)
		if err != nil {
			return err
		}
		files.mine = append(files.mine, null)
		files.std[0] = null
	}
	return nil
}

// launch executes the command.
func (j *job) launch(files *childFiles) error {
	env := jobEnviron(j.cfg.Env, j.cfg.Set, string(j.meta.ID), j.meta.Dir, j.tty != nil && j.logs == nil)
	argv, err := commandLine(j.cfg.Dir, j.meta.Command, j.meta.Script)
	if err != nil {
		return err
	}
	if info, err := os.Stat(j.meta.Dir); err != nil {
		return &dirError{j.meta.Dir, err}
	} else if !info.IsDir() {
		return &dirError{j.meta.Dir, syscall.ENOTDIR}
	}
	path, err := findProgram(argv[0], j.meta.Dir, env)
	if err != nil {
		return err
	}
	attr := &syscall.ProcAttr{
		Dir: j.meta.Dir, Env: env, Files: childTable(files.std, files.passed),
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: files.ctty >= 0, Ctty: max(files.ctty, 0)},
	}
	if j.own && files.ctty >= 0 && (j.leads || takeTerminal(j.tty.slave) == nil) {
		j.leads = true
		attr.Sys = &syscall.SysProcAttr{Setpgid: true}
	}
	fork := forkFunc(ForkUnblocked)
	if j.leads {
		fork = func(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
			return forkHeld(path, argv, attr, j.toForeground)
		}
	}
	start := func() (int, error) {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.asked != nil {
			return 0, errStopped
		}
		pid, err := execute(fork, path, argv, attr)
		if err == nil {
			j.pid, j.reaped, j.sent, j.forkPeak = pid, false, sentSignal{}, ownPeak()
			j.identify()
		}
		return pid, err
	}
	if j.own {
		return j.reaper.Start(start)
	}
	_, err = start()
	return err
}

// execute behaves like execvp: a file without a header that the kernel recognizes is executed by
// the shell.
func execute(fork forkFunc, path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	pid, err := fork(path, argv, attr)
	if errors.Is(err, syscall.ENOEXEC) {
		pid, err = fork(shell, append([]string{shell, path}, argv[1:]...), attr)
	}
	if errors.Is(err, syscall.ENOENT) && executable(path) == nil {
		err = &interpreterError{interpreterOf(path), err}
	}
	return pid, err
}

// forkFunc starts a program.
type forkFunc func(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error)

// forkThen starts a program and calls then with its pid.
func forkThen(path string, argv []string, attr *syscall.ProcAttr, then func(pid int)) (int, error) {
	pid, err := ForkUnblocked(path, argv, attr)
	if err == nil {
		then(pid)
	}
	return pid, err
}

// dirError means that the job's directory cannot be used.
type dirError struct {
	dir string
	err error
}

func (e *dirError) Error() string { return "directory " + e.dir + ": " + errorText(e.err) }
func (e *dirError) Unwrap() error { return e.err }
