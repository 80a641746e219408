//go:build linux || darwin

package localjob

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/shellrun"
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
		Dir:        j.cfg.Dir,
		Lock:       held,
		Alive:      alive,
		Meta:       j.meta,
		RuntimeDir: j.cfg.RuntimeDir,
		OwnLog:     !terminal,
		Terminal:   terminal,
		Notifies:   j.own && j.cfg.Notify != "",
		Foreground: terminal && !j.meta.StartInBackground,
		Hooks:      hooks,
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

func (j *job) launch(files *childFiles) error {
	env := jobEnviron(j.cfg.Env, j.cfg.Set, string(j.meta.ID), j.meta.Dir, j.usesTerminal())
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
		Dir:   j.meta.Dir,
		Env:   env,
		Files: childTable(files.std, files.passed),
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: files.ctty >= 0, Ctty: max(files.ctty, 0)},
	}
	if j.own && !j.leads && files.ctty >= 0 {
		j.leads = takeTerminal(j.tty.slave) == nil
	}
	fork := forkFunc(ForkUnblocked)
	if j.leads {
		attr.Sys = &syscall.SysProcAttr{Setpgid: true}
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

// Exit codes of a command that could not be started, as in shells.
const (
	codeNotExecutable = 126
	codeNotFound      = 127
)

const shell = shellrun.Shell

// maxScript is the maximum length of a script passed as an argument: kernels limit the size of a
// single one (Linux to 128 KiB).
const maxScript = 96 << 10

// scriptFile is the file for a longer script in the job directory.
const scriptFile = "script"

// commandLine returns the argument vector to execute for a job whose directory is dir.
func commandLine(dir string, command []string, script string) ([]string, error) {
	switch {
	case len(command) > 0:
		return command, nil
	case len(script) <= maxScript:
		return []string{shell, "-c", script}, nil
	}
	path := filepath.Join(dir, scriptFile)
	return []string{shell, path}, os.WriteFile(path, []byte(script), 0o600)
}

// findProgram finds a program as the job's shell would: a name with a slash relative to dir, any
// other in the PATH of env.
func findProgram(name, dir string, env []string) (string, error) {
	if name == "" {
		return "", syscall.ENOENT
	}
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, executable(path)
	}
	list := "/usr/local/bin:/usr/bin:/bin"
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			list = v
		}
	}
	var found error = syscall.ENOENT
	for d := range strings.SplitSeq(list, ":") {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		path := filepath.Join(d, name)
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, syscall.EACCES) {
			found = err // remembered, as shells do: a later directory may have it
		}
	}
	return "", found
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return syscall.EACCES
	case errors.Is(err, syscall.ENAMETOOLONG):
		return syscall.ENAMETOOLONG
	case err != nil:
		return syscall.ENOENT
	case info.IsDir(), info.Mode()&0o111 == 0:
		return syscall.EACCES
	}
	return nil
}

// startFailure returns the exit code and the message for a command that could not be executed.
func startFailure(what string, err error) (code int, text string) {
	code = codeNotExecutable
	if errors.Is(err, syscall.ENOENT) {
		code = codeNotFound
		if missing, ok := errors.AsType[*interpreterError](err); ok {
			return code, what + ": " + missing.Error()
		}
		if !strings.Contains(what, "/") {
			return code, what + ": command not found"
		}
	}
	return code, what + ": " + errorText(err)
}

// errorText returns the text of an error without the name of the system call.
func errorText(err error) string {
	errno, ok := errors.AsType[syscall.Errno](err)
	switch {
	case !ok:
		return err.Error()
	case errno == syscall.EAGAIN: // from fork
		return errno.Error() + ": too many processes (see ulimit -u)"
	}
	return errno.Error()
}

// interpreterError means that a program exists, but its interpreter cannot be executed.
type interpreterError struct {
	name string // empty if it is not a script or cannot be read
	err  error
}

func (e *interpreterError) Error() string {
	if e.name == "" {
		return "its interpreter or loader: " + errorText(e.err)
	}
	// Quoted, because the usual cause is a carriage return at its end.
	return "its interpreter " + strconv.Quote(e.name) + ": " + errorText(e.err)
}

func (e *interpreterError) Unwrap() error { return e.err }

// interpreterOf returns the interpreter named in the first line of the script at path, or "" if
// there is none.
func interpreterOf(path string) string {
	f, err := plainfile.OpenLinked(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256) // as much as the kernel examines
	n, _ := io.ReadFull(f, head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return ""
	}
	rest = strings.Trim(rest, " \t")
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}
