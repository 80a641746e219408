package local

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// exitOf translates a record.
func exitOf(e *jobdir.End) engine.Exit {
	return engine.Exit{
		Status: engine.Status(e.Status), Code: e.Code, Signal: e.Signal, Core: e.Core,
		Reason: engine.Reason(e.Reason), EndedBy: e.EndedBy, Error: e.Error, At: e.At, Ran: time.Duration(e.RanMS) * time.Millisecond,
		Survivors: processesOf(e.Survivors),
		Usage: engine.Usage{
			User:   time.Duration(e.UserMS) * time.Millisecond,
			System: time.Duration(e.SystemMS) * time.Millisecond,
			MaxRSS: e.MaxRSS,
		},
	}
}

func processesOf(ps []jobdir.Process) []engine.Process {
	var out []engine.Process
	for _, p := range ps {
		out = append(out, engine.Process(p))
	}
	return out
}

// observationOf translates what a job's records say. Output is not among it.
func observationOf(id engine.ID, st *jobdir.State) engine.Observation {
	o := engine.Observation{
		ID: id, Status: engine.Running, PID: st.Job.PID, StartedAt: st.StartedAt, Deadline: deadlineOf(st, time.Now()),
		StartedUp:    time.Duration(st.StartedUpMS) * time.Millisecond,
		Backgrounded: st.Backgrounded, Paused: st.Paused, Waiting: st.Waiting, Entry: engine.Entry(st.Entry), Alternate: st.Alternate,
		Title: st.Title, Cwd: st.Cwd,
		Size: engine.Size(st.Size), NoTerminal: st.NoTerminal, Dropped: st.Dropped, Link: engine.LinkNone,
	}
	if st.Progress != nil {
		p := engine.Progress(*st.Progress)
		o.Progress = &p
	}
	if st.StartedAt.IsZero() {
		o.Status = engine.Starting
	}
	if st.Stopping != nil {
		o.Status, o.StopDeadline = engine.Stopping, st.Stopping.Deadline
	}
	if st.End != nil {
		o.Exit = exitOf(st.End)
		o.Status, o.StopDeadline = o.Exit.Status, time.Time{}
	}
	return o
}

// deadlineOf is when the timeout strikes, by the wall clock as it goes now: the
// holder counts the time that the machine runs, while that clock may have been set
// since the start, and the machine may have slept. Corrections below a second are
// left out.
func deadlineOf(st *jobdir.State, now time.Time) time.Time {
	if st.Deadline.IsZero() || st.StartedUpMS == 0 {
		return st.Deadline
	}
	ran := proc.RunningAt(now) - time.Duration(st.StartedUpMS)*time.Millisecond
	moved := now.Round(0).Sub(st.StartedAt) - ran
	return st.Deadline.Add(moved.Round(time.Second))
}

func screenOf(s holder.Screen) engine.Screen {
	return engine.Screen{
		Text: s.Text, ANSI: s.ANSI, Size: engine.Size(s.Size),
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
