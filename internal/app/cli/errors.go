package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/shellword"
)

// exitStatus makes hob exit with a code and without a message: the code is a job's own,
// or everything has been reported.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// failure is an error with what a user and a program need to handle it.
type failure struct {
	exit int
	code string // stable name for programs
	err  error
	hint string // what to do about it; may be empty
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func usagef(hint, format string, args ...any) error {
	return &failure{
		exit: exitUsage,
		code: "usage",
		err:  fmt.Errorf(format, args...),
		hint: hint,
	}
}

// hobFailed marks err as hob's own failure while hob ran a job for the caller, so that
// the exit code is not mistaken for the job's.
func hobFailed(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := errors.AsType[exitStatus](err); ok {
		return s
	}
	f := *explain(err)
	f.exit = exitHob
	return &f
}

// runFailed is hobFailed for errors that may also precede the job: wrong usage, a bad
// state directory and an unreachable host keep their usual exit codes.
func runFailed(err error) error {
	if err == nil || errors.Is(err, engine.ErrStateDir) || explain(err).exit != exitFailed {
		return err
	}
	return hobFailed(err)
}

// explain returns err as a failure with a code and a hint.
func explain(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		if len(splitJoined(err)) > 1 { // the first one has the code and the hint
			all := *f
			all.err = err
			return &all
		}
		return f
	}
	if f := requestFailure(err); f != nil {
		return f
	}
	f := &failure{exit: exitFailed, code: engine.ErrorKindOf(err).Code, err: err}
	if r, ok := errors.AsType[*engine.RestartError](err); ok {
		f.code, f.hint = "not_restarted", "to start it: hob restart "+string(r.Job.ID)
		return f
	}
	if errors.Is(err, errInterrupted) {
		f.exit, f.code = exitBroken, "interrupted"
	}
	id := refOf(err)
	switch f.code {
	case "ambiguous":
		f.exit, f.hint = exitUsage, "use a job ID"
		if a, ok := errors.AsType[*engine.AmbiguousError](err); ok {
			f.hint = candidates(a.Candidates, time.Now())
		}
	case "not_found":
		f.exit, f.hint = exitNoJob, "See: hob list"
	case "not_running":
		f.exit, f.hint = exitState, "Its output: hob log "+id+" · Run it again: hob restart "+id
	case "not_queued":
		f.exit, f.hint = exitState, "See: hob queue"
	case "running":
		f.exit, f.hint = exitState, "Stop it first: hob kill "+id+" · Stop and clear it: hob remove "+id
	case "no_input":
		f.exit, f.hint = exitState, "start it with a terminal (the default of -b) or with --stdin"
	case "elsewhere":
		f.exit, f.hint = exitState, "use hob on the machine that runs it; only its log can be read here"
	case "unreachable":
		f.exit, f.hint = exitHost, "the job keeps running; try again when the host is reachable"
	case "usage":
		f.exit, f.hint = exitUsage, "See: hob help"
	case "state_root":
		f.hint = "set HOB_STATE_DIR to a directory that you own"
	case "failed":
		f.explainSystem()
	}
	if h, ok := errors.AsType[*ssh.HostError](err); ok && f.exit == exitHost {
		f.hint = "Diagnose: hob hosts check " + shellword.Quote(h.Host)
		if h.Hint != "" {
			f.hint = h.Hint
		}
	}
	if u, ok := errors.AsType[*unansweredError](err); ok {
		f.hint = u.hint
	}
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Hint != "" {
		f.hint = e.Hint
	}
	return f
}

// explainSystem adds what to do about an error of the system.
func (f *failure) explainSystem() {
	switch {
	case errors.Is(f.err, syscall.EMFILE):
		f.hint = "raise the limit of open files: ulimit -n 256"
	case noProc(f.err):
		f.hint = "mount /proc; hob needs it to start jobs"
	case errors.Is(f.err, fs.ErrPermission):
		f.code, f.hint = "permission", "check the owner of the file (sudo keeps HOME: use sudo -H, or set HOB_STATE_DIR)"
	}
}

// refOf returns the ID of the job that err is about, or "ID".
func refOf(err error) string {
	if e, ok := errors.AsType[*engine.Error](err); ok && e.Job != "" {
		return string(e.Job)
	}
	return "ID"
}

// noProc reports whether err means that /proc is not mounted, as in a bare chroot.
func noProc(err error) bool {
	p, ok := errors.AsType[*fs.PathError](err)
	return ok && strings.HasPrefix(p.Path, "/proc/self/") && errors.Is(p.Err, fs.ErrNotExist)
}

type errorJSON struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"error"`
}

// report prints err and returns the exit code. With --json it falls back to standard error
// if standard output cannot be written.
func (a *app) report(err error) int {
	if s, ok := errors.AsType[exitStatus](err); ok {
		return int(s)
	}
	f := explain(err)
	if a.json {
		var v errorJSON
		v.Error.Code, v.Error.Message, v.Error.Hint = f.code, bounded(f.Error()), f.hint
		if a.printJSON(v) == nil {
			return f.exit
		}
	}
	for _, err := range splitJoined(f.err) {
		fmt.Fprintf(a.stderr, "%s %s\n", a.paintErr("hob:", styleBad), escape(bounded(err.Error())))
	}
	if f.hint != "" {
		for line := range strings.SplitSeq(f.hint, "\n") {
			fmt.Fprintf(a.stderr, "     %s\n", escape(line))
		}
	}
	return f.exit
}

// maxMessage limits an error message, in characters: it may quote what a host or a file has.
const maxMessage = 4000

func bounded(s string) string {
	if short := logfile.FirstRunes(s, maxMessage); short != s {
		return short + "…"
	}
	return s
}

// splitJoined returns the errors that were joined with [errors.Join] to make err. An error
// with several causes and a message of its own is returned as it is.
func splitJoined(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	var each []error
	for _, e := range joined.Unwrap() {
		each = append(each, splitJoined(e)...)
	}
	return each
}
