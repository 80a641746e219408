package engine

import (
	"errors"
	"fmt"
)

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
	return &Error{Op: op, Job: j.ID, Backend: j.Backend, Err: err, Hint: hintFor(err, j)}
}

func hintFor(err error, j Job) string {
	switch {
	case errors.Is(err, ErrElsewhere):
		return "only the machine or container that runs it can do this; if that no longer exists, run hob clear --forget " + string(j.ID)
	case errors.Is(err, ErrRunning):
		return "stop it first, or remove it, which does both"
	case errors.Is(err, ErrNoInput) && j.Kind == KindFile:
		return "to write to a job, start it with a terminal (--pty) or with --stdin"
	}
	return ""
}

func notFound(ref string) error {
	return &Error{Op: "find", Job: ID(ref), Err: ErrNotFound, Hint: `run "hob list" to see the jobs`}
}
