package local

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/proc"
)

// deadlineOf is when the timeout strikes, by the wall clock as it goes now: the
// holder counts the time that the machine runs, while that clock may have been set
// since the start, and the machine may have slept. Corrections below a second are
// left out.
func deadlineOf(st *engine.State, now time.Time) time.Time {
	if st.Deadline.IsZero() || st.StartedUp == 0 {
		return st.Deadline
	}
	ran := proc.RunningAt(now) - st.StartedUp.Duration()
	moved := now.Round(0).Sub(st.StartedAt) - ran
	return st.Deadline.Add(moved.Round(time.Second))
}

func screenOf(s holder.Screen) engine.Screen {
	return engine.Screen{
		Text: s.Text, ANSI: s.ANSI, Size: s.Size,
		CursorX: s.CursorX, CursorY: s.CursorY, CursorOn: s.CursorOn,
		Title: s.Title, Alternate: s.Alternate, Main: s.Main,
	}
}

// errorOf gives an error of the holder its meaning for callers of the engine.
func (r *Run) errorOf(op string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*holder.Failure](err); ok {
		if kind := kindOf(f.Code); kind != nil {
			if err = kind; strings.TrimPrefix(f.Message, "the ") != kind.Error() {
				err = fmt.Errorf("%w: %s", kind, f.Message)
			}
		}
	} else if errors.Is(err, holder.ErrNoHolder) {
		err = engine.ErrNotRunning
	}
	return &engine.Error{Op: op, Job: r.id, Backend: "local", Err: err}
}

func kindOf(c holder.Code) error {
	switch c {
	case holder.CodeNoInput:
		return engine.ErrNoInput
	case holder.CodeEnded:
		return engine.ErrNotRunning
	case holder.CodeUnsupported, holder.CodeUnknown:
		return engine.ErrUnsupported
	case holder.CodeNotControl:
		return engine.ErrNotControl
	case holder.CodeInvalid:
		return engine.ErrInvalid
	case holder.CodeFailed, holder.CodeUnresponsive, holder.CodeFull:
	}
	return nil
}
