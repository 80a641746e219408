package ssh

import (
	"context"
	"errors"
	"fmt"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
)

// HostError reports why a request to a host failed. It is an [engine.ErrUnreachable].
type HostError struct {
	Host string
	Err  error
	// Attention: retrying will not help; the user has to act, see Hint.
	Attention bool
	Hint      string
}

func (e *HostError) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("the shell of this machine: %v", e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Host, e.Err)
}

func (e *HostError) Unwrap() []error { return []error{engine.ErrUnreachable, e.Err} }

// unreachable wraps err for host.
func unreachable(host string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if _, ok := errors.AsType[*HostError](err); ok {
		return err
	}
	e := &HostError{Host: host, Err: err}
	if ce, ok := errors.AsType[*client.Error](err); ok {
		e.Attention, e.Hint = ce.Final, ce.Hint
	}
	return e
}

// InputFullError reports that a job has not read its input for some seconds and its buffer is full.
type InputFullError struct{ Taken int } // bytes of what was to be written

func (*InputFullError) Error() string {
	return "the job does not read its input, and its buffer is full"
}
