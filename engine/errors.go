package engine

import (
	"errors"
	"fmt"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// Conditions that callers distinguish. They are wrapped; test with errors.Is.
var (
	ErrNotFound    = record.ErrNotFound                                  // or it was cleared
	ErrAmbiguous   = errors.New("several jobs match")                    // see AmbiguousError
	ErrNotRunning  = record.ErrNotRunning                                // it has ended
	ErrNotStarted  = fmt.Errorf("%w: it has not started", ErrNotRunning) // it is queued
	ErrRunning     = errors.New("job has not ended")                     // so it cannot be cleared
	ErrNoInput     = record.ErrNoInput                                   // it has no input, or the input has ended
	ErrUnreachable = errors.New("host is unreachable")                   // the job keeps running
	ErrElsewhere   = errors.New("job belongs to another machine")        // only that machine can observe it or act on it
	ErrNotControl  = record.ErrNotControl                                // TakeControl takes control
	ErrUnsupported = record.ErrUnsupported                               // by the backend, or this kind of job
	ErrExists      = errors.New("already exists")                        // the process is attached
	ErrInvalid     = record.ErrInvalid                                   // never valid, for any job
	ErrClosed      = record.ErrClosed                                    // Close was called
	ErrStateDir    = errors.New("state directory is unusable")           // the error names its path and why
	ErrUnrecorded  = errors.New("its end cannot be recorded")            // other programs cannot see the end
	ErrUnkept      = errors.New("cannot record what was read")           // so the next poll returns the same output again
)

// An ErrorKind names one of the conditions, such as [ErrNotFound], for programs and users.
type ErrorKind struct {
	Err  error
	Code string // a stable name for programs
	Text string // a sentence for users, without a period; may be empty
}

// ErrorKindOf returns the kind of an error. Any other error has only a code, "failed".
func ErrorKindOf(err error) ErrorKind {
	for _, kind := range [...]ErrorKind{
		{ErrAmbiguous, "ambiguous", ""},
		{ErrNotFound, "not_found", "the job no longer exists"},
		{ErrNotRunning, "not_running", "the job is not running"},
		{ErrNotQueued, "not_queued", "the job is not queued"},
		{ErrRunning, "running", "the job has not ended, or has left processes; stop it first"},
		{ErrNoInput, "no_input", "the job takes no input"},
		{ErrUnreachable, "unreachable", "the host is unreachable"},
		{ErrElsewhere, "elsewhere", "the job runs on another machine or container"},
		{ErrInvalid, "usage", ""},
		{ErrStateDir, "state_root", "the state directory is unusable"},
		{ErrUnsupported, "unsupported", "this job does not support it"},
		{ErrExists, "exists", ""},
	} {
		if errors.Is(err, kind.Err) {
			return kind
		}
	}
	return ErrorKind{Code: "failed"}
}

// Error reports which operation failed on which job.
type Error struct {
	Op      string // a verb phrase such as "write to"
	Job     ID     // empty if the error is not about one job
	Backend string // empty if no backend was involved
	Err     error  // one of the conditions, possibly wrapped, or a system error
	// Hint suggests to the user what to do; may be empty.
	Hint string
}

// Error returns the operation, the job and the cause, without the hint.
func (e *Error) Error() string {
	if e.Job == "" {
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Job, e.Err)
}

// Unwrap returns the condition or system error.
func (e *Error) Unwrap() error { return e.Err }

// AmbiguousError lists the jobs that a reference matches.
type AmbiguousError struct {
	Ref        string // what the user typed
	Candidates []Job  // the jobs that match it
}

// Error returns the reference that is ambiguous, without the candidates.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q matches several jobs", e.Ref)
}

// Unwrap returns ErrAmbiguous.
func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// invalid returns the error for a request that is not valid.
func invalid(op, what, hint string) error {
	return &Error{Op: op, Err: fmt.Errorf("%w: %s", ErrInvalid, what), Hint: hint}
}

// opError returns an error with the operation and the job, unless err already has them.
func opError(op string, j Job, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{
		Op:      op,
		Job:     j.ID,
		Backend: j.Backend,
		Err:     err,
		Hint:    hintFor(err, j),
	}
}

func hintFor(err error, j Job) string {
	if hint := jobdir.HeldHint(err); hint != "" {
		return hint
	}
	switch {
	case errors.Is(err, ErrElsewhere):
		return "only the machine or container that runs it can do this; if that no longer exists, run hob clear --forget " + string(j.ID)
	case errors.Is(err, ErrNotStarted):
		return "it is queued; to see why: hob status " + string(j.ID)
	case errors.Is(err, ErrRunning) && j.Status == Queued:
		where := ""
		if j.Host != "" {
			where = " on " + j.Host
		}
		return fmt.Sprintf("it is queued%s; take it out of the queue first: hob kill %s, or do both: hob remove %[2]s", where, j.ID)
	case errors.Is(err, ErrRunning) && j.Status.Finished():
		return fmt.Sprintf("end it first: hob kill %s, or do both: hob remove %[1]s", j.ID)
	case errors.Is(err, ErrRunning) && j.Link == LinkUnreachable:
		return "it is not known whether it still runs; to see why: hob why " + string(j.ID)
	case errors.Is(err, ErrRunning):
		return "it is still running; stop it first, or remove it, which also stops it"
	case errors.Is(err, ErrNoInput) && j.Kind == KindFile:
		return "to write to a job, start it with a terminal (--pty) or with --stdin"
	}
	return ""
}

func notFound(ref string) error {
	return &Error{
		Op:   "find",
		Job:  ID(ref),
		Err:  ErrNotFound,
		Hint: `run "hob list" to see the jobs`,
	}
}
