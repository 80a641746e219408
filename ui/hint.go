package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
)

// hint returns an error's explanation and remedy for the user, depending on its kind.
func hint(err error) string {
	kind := engine.ErrorKindOf(err)
	text := kind.Text
	e, ok := errors.AsType[*engine.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && text == "":
		text = "timed out"
	case !ok, e.Err == kind.Err: //nolint:errorlint // it adds no details, such as the host and the cause
	case kind.Code == "unreachable", kind.Code == "unsupported":
		text = e.Err.Error()
	}
	if ok && e.Hint != "" {
		if text == "" {
			text = e.Err.Error()
		}
		return cells.Clean(text + "; " + e.Hint)
	}
	if text == "" || isAny(err, engine.ErrInvalid, engine.ErrStateDir) {
		text = err.Error()
	}
	return cells.Clean(strings.TrimSpace(text))
}

// isAny reports whether err is one of several errors.
func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}
