package engine

import (
	"errors"
	"fmt"
)

// invalid is a request that cannot be carried out as it stands.
func invalid(op, what, hint string) error {
	return &Error{Op: op, Err: fmt.Errorf("%w: %s", ErrInvalid, what), Hint: hint}
}

// fault says which operation failed on which job, once.
func fault(op string, j Job, err error) error {
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
		return "only the machine or container that runs it can do this; if that is gone, hob clear --forget " + string(j.ID)
	case errors.Is(err, ErrRunning):
		return "stop it first, or remove it, which does both"
	case errors.Is(err, ErrNoInput) && j.Kind == KindFile:
		return "start it with a terminal (--pty) or with --stdin to be able to write to it"
	}
	return ""
}

func notFound(ref string) error {
	return &Error{Op: "find", Job: ID(ref), Err: ErrNotFound, Hint: "hob list shows the jobs there are"}
}
