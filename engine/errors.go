package engine

import (
	"errors"
	"fmt"
)

// Conditions that callers branch on. They are wrapped; test with errors.Is.
var (
	ErrNotFound    = errors.New("no such job")
	ErrAmbiguous   = errors.New("several jobs match")
	ErrNotRunning  = errors.New("job is not running")
	ErrRunning     = errors.New("job is still running")
	ErrNoInput     = errors.New("job takes no input")
	ErrUnreachable = errors.New("host is unreachable")
	ErrElsewhere   = errors.New("job belongs to another machine")
	ErrUnsupported = errors.New("not supported")
	ErrExists      = errors.New("already exists")
	ErrInvalid     = errors.New("invalid request")
	ErrClosed      = errors.New("engine is closed")
	ErrStateRoot   = errors.New("state directory is unusable")
)

// Error says which operation failed on which job.
type Error struct {
	Op      string
	Job     ID
	Backend string
	Err     error
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
