package engine

import (
	"errors"
	"fmt"

	"github.com/hobjobs/hob/engine/record"
)

// Conditions that callers branch on. They are wrapped; test with errors.Is.
var (
	ErrNotFound    = record.ErrNotFound                           // or it was cleared
	ErrAmbiguous   = errors.New("several jobs match")             // see AmbiguousError
	ErrNotRunning  = record.ErrNotRunning                         // it has ended
	ErrRunning     = errors.New("job is still running")           // and cannot be cleared
	ErrNoInput     = record.ErrNoInput                            // it has none, or that has ended
	ErrUnreachable = errors.New("host is unreachable")            // says nothing of the job, which goes on
	ErrElsewhere   = errors.New("job belongs to another machine") // only that one can tell, or act
	ErrNotControl  = record.ErrNotControl                         // TakeControl takes it over
	ErrUnsupported = record.ErrUnsupported                        // by the backend, or this kind of job
	ErrExists      = errors.New("already exists")                 // the process is attached
	ErrInvalid     = record.ErrInvalid                            // it never makes sense, whatever the job
	ErrClosed      = errors.New("engine is closed")
	ErrStateRoot   = errors.New("state directory is unusable")
	ErrUnrecorded  = errors.New("its end cannot be recorded")  // so that others, and later ones, do not know it
	ErrUnkept      = errors.New("cannot record what was read") // so the next poll gives it again
)

// Error says which operation failed on which job.
type Error struct {
	Op      string // in words, as in "write to"
	Job     ID     // empty: it is about no one job
	Backend string // empty: none was asked
	Err     error  // one of the conditions, or wraps it; else the system's
	// Hint says what to do about it, for a person; may be empty.
	Hint string
}

func (e *Error) Error() string {
	if e.Job == "" {
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Job, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// AmbiguousError lists the jobs that a reference could mean.
type AmbiguousError struct {
	Ref        string
	Candidates []Job
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q means several jobs", e.Ref)
}

func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }
