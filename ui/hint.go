package ui

import (
	"context"
	"errors"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
)

// hint says what an error means for the person and what to do about it, from
// its kind.
func hint(err error) string {
	text := ""
	switch {
	case errors.Is(err, engine.ErrNotFound):
		text = "the job is gone"
	case errors.Is(err, engine.ErrNotRunning):
		text = "it is not running any more"
	case errors.Is(err, engine.ErrRunning):
		text = "it is still running: stop it first"
	case errors.Is(err, engine.ErrNoInput):
		text = "it takes no input"
	case errors.Is(err, engine.ErrUnreachable):
		text = "its host is unreachable now"
		if e, ok := errors.AsType[*engine.Error](err); ok && e.Err != engine.ErrUnreachable { //nolint:errorlint // alone it says no more
			text = e.Err.Error() // which host, and why
		}
	case errors.Is(err, engine.ErrElsewhere):
		text = "it belongs to another machine or container"
	case errors.Is(err, engine.ErrUnsupported):
		text = "not possible with this job"
	case errors.Is(err, engine.ErrStateRoot):
		text = "the state directory is unusable"
	case errors.Is(err, context.DeadlineExceeded):
		text = "no answer in time"
	}
	var e *engine.Error
	if errors.As(err, &e) && e.Hint != "" {
		if text == "" {
			text = e.Err.Error()
		}
		return cells.Clean(text + "; " + e.Hint)
	}
	if text == "" || errors.Is(err, engine.ErrInvalid) || errors.Is(err, engine.ErrStateRoot) {
		text = err.Error()
	}
	return cells.Clean(strings.TrimSpace(text))
}
