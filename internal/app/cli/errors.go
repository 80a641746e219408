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
	"github.com/hobjobs/hob/internal/units"
)

// The exit codes of hob itself.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitNoJob   = 3
	exitState   = 4   // the job is in the wrong state for this
	exitHost    = 5   // host unreachable or refused
	exitTimeout = 124 // wait ran out of time
	exitBroken  = 130 // Ctrl+C at a question
	exitHob     = 125 // run, attach, wait: hob failed, not the job
)

// exitStatus ends hob with a code and without a word: the code is a job's own,
// or everything has been said.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// failure is an error as a person and a program get to see it.
type failure struct {
	exit int
	code string // stable name for programs
	err  error
	hint string // what to do about it; may be empty
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usagef is a mistake in the words of the command line.
func usagef(hint, format string, args ...any) error {
	return &failure{exit: exitUsage, code: "usage", err: fmt.Errorf(format, args...), hint: hint}
}

// hobFailed marks err as hob's own failure while a job was being run for the
// caller, which must not be mistaken for a result of the job.
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

// runFailed is hobFailed for what may go wrong before there is a job, too: wrong
// usage, a bad state root and a host end with their own codes as everywhere.
func runFailed(err error) error {
	if err == nil || errors.Is(err, engine.ErrStateRoot) || explain(err).exit != exitFailed {
		return err
	}
	return hobFailed(err)
}

// explain turns any error into a failure with code and hint.
func explain(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	f := &failure{exit: exitFailed, code: "failed", err: err}
	switch {
	case errors.Is(err, errInterrupted):
		f.exit, f.code = exitBroken, "interrupted"
	case errors.Is(err, engine.ErrAmbiguous):
		f.exit, f.code, f.hint = exitUsage, "ambiguous", "give an id"
		if a, ok := errors.AsType[*engine.AmbiguousError](err); ok {
			f.hint = "give an id: " + candidates(a.Candidates, time.Now())
		}
	case errors.Is(err, engine.ErrNotFound):
		f.exit, f.code, f.hint = exitNoJob, "not_found", "hob list shows the jobs there are"
	case errors.Is(err, engine.ErrNotRunning):
		f.exit, f.code, f.hint = exitState, "not_running", "hob log ID shows what it printed, hob restart ID runs it again"
	case errors.Is(err, engine.ErrRunning):
		f.exit, f.code, f.hint = exitState, "running", "hob kill ID ends it, hob remove ID ends and clears it"
	case errors.Is(err, engine.ErrNoInput):
		f.exit, f.code, f.hint = exitState, "no_input", "start it with a terminal (the default of -b) or with --stdin"
	case errors.Is(err, engine.ErrElsewhere):
		f.exit, f.code, f.hint = exitState, "elsewhere", "use hob on the machine that runs it; its log can be read here"
	case errors.Is(err, engine.ErrUnreachable):
		f.exit, f.code, f.hint = exitHost, "unreachable", "the job goes on; try again when the host can be reached"
	case errors.Is(err, engine.ErrInvalid):
		f.exit, f.code, f.hint = exitUsage, "usage", "hob help lists the verbs and what they take"
	case errors.Is(err, engine.ErrStateRoot):
		f.code, f.hint = "state_root", "set HOB_STATE_DIR to a directory of your own"
	case errors.Is(err, engine.ErrUnsupported):
		f.code = "unsupported"
	case errors.Is(err, engine.ErrExists):
		f.code = "exists"
	case errors.Is(err, syscall.EMFILE):
		f.hint = "allow more open files: ulimit -n 256"
	case noProc(err):
		f.hint = "mount /proc, from which hob starts its holders"
	case errors.Is(err, fs.ErrPermission):
		f.code, f.hint = "permission", "check who owns the file (sudo keeps HOME: sudo -H, or set HOB_STATE_DIR)"
	}
	if h, ok := errors.AsType[*ssh.HostError](err); ok && f.exit == exitHost {
		f.hint = "hob hosts check " + quoteWord(h.Host) + " says step by step what works"
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

// noProc reports whether err is of a Linux without /proc, as in a bare chroot.
func noProc(err error) bool {
	p, ok := errors.AsType[*fs.PathError](err)
	return ok && strings.HasPrefix(p.Path, "/proc/self/") && errors.Is(p.Err, fs.ErrNotExist)
}

// candidates lists jobs with status and age, for the hint of an ambiguous
// reference.
func candidates(jobs []engine.Job, now time.Time) string {
	words := make([]string, 0, len(jobs))
	for _, j := range jobs {
		words = append(words, fmt.Sprintf("%s (%s, %s)", j.ID, j.Status, age(j, now)))
	}
	return strings.Join(words, " · ")
}

// age is how long ago j reached its status, in words.
func age(j engine.Job, now time.Time) string {
	at := j.CreatedAt
	if j.Status.Finished() && !j.Exit.At.IsZero() {
		at = j.Exit.At
	}
	return units.FormatDuration(now.Sub(at)) + " ago"
}

// errorJSON is the form of a failure on standard output with --json.
type errorJSON struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"error"`
}

// report prints err and returns the exit code. What cannot be said on
// standard output, as a full disk cannot, is said on standard error.
func (a *app) report(err error) int {
	if s, ok := errors.AsType[exitStatus](err); ok {
		return int(s)
	}
	f := explain(err)
	if a.json {
		var v errorJSON
		v.Error.Code, v.Error.Message, v.Error.Hint = f.code, f.Error(), f.hint
		if a.printJSON(v) == nil {
			return f.exit
		}
	}
	for _, err := range apart(f.err) {
		fmt.Fprintf(a.stderr, "%s %s\n", a.paintErr("hob:", styleBad), escape(err.Error()))
	}
	if f.hint != "" {
		fmt.Fprintf(a.stderr, "     %s\n", escape(f.hint))
	}
	return f.exit
}

// apart takes err to the errors that were joined to it, in their order. An error of
// several causes with words of its own is one.
func apart(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	var each []error
	for _, e := range joined.Unwrap() {
		each = append(each, apart(e)...)
	}
	return each
}
