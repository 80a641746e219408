package engine

import (
	"context"
	"slices"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// History returns the recorded facts since the given time, oldest first, of existing jobs. Output
// and removals are not recorded. Each event has the job's current state.
func (e *Engine) History(ctx context.Context, since time.Time) ([]Event, error) {
	jobs, err := e.List(ctx, Filter{})
	if err != nil {
		return nil, err
	}
	var evs []Event
	for _, j := range jobs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !j.CreatedAt.Before(since) {
			evs = append(evs, Event{Kind: EventCreated, Job: j, At: j.CreatedAt})
		}
		if exit, ok := j.Ended(); ok && exit.At.Before(since) {
			continue
		}
		facts, err := jobdir.Facts(e.root.Dir(string(j.ID)), since)
		if err != nil {
			e.log.Warn("cannot read the history of a job", "job", j.ID, "err", err)
		}
		ended := false
		for _, f := range facts {
			kind := EventKind(f.Kind)
			if kind == EventCreated {
				continue
			}
			ended = ended || kind == EventExited || kind == EventLost
			evs = append(evs, Event{Kind: kind, Job: j, Offset: f.Offset, At: f.At, Note: noteOf(kind, f), Exit: Exit{Code: f.Code, Signal: f.Signal}})
		}
		// The end is in the records even if it could not be added to the history.
		if exit, ok := j.Ended(); ok && !ended {
			evs = append(evs, Event{Kind: endKind(j.Status), Job: j, Offset: j.Output, At: exit.At})
		}
	}
	slices.SortStableFunc(evs, func(a, b Event) int { return a.At.Compare(b.At) })
	return evs, nil
}

func noteOf(kind EventKind, f jobdir.Fact) Note {
	if kind != EventAttention {
		return Note{}
	}
	return Note{Title: f.Title, Body: f.Body}
}
