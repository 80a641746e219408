package holder

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// Throttle sets whether changes that are not urgent are reported only once a second. It may be called at any time, and
// waits for nothing.
func (r *Run) Throttle(on bool) {
	r.throttled.Store(on)
	select {
	case r.paced <- struct{}{}:
	default:
	}
}

const (
	// pollPause is the interval for polling the files of a job whose holder has no reachable socket.
	pollPause = 250 * time.Millisecond
	// throttledPace is the interval at which changes that are not urgent are reported if throttled.
	throttledPace = time.Second
)

// Watch calls notify with the current state of the job and after each change. It returns nil after the
// end of the job, and if the job was removed. It keeps a connection to the holder; without a holder it
// polls the files.
func (r *Run) Watch(ctx context.Context, notify func(record.State, record.Note)) error {
	var last record.State
	report := func(s record.State, note record.Note) {
		last = s
		notify(s, note)
	}
	for {
		err := r.stream(ctx, func(f Facts) bool {
			s, note := r.after(last, f)
			report(s, note)
			return !s.Status.Finished()
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if err == nil {
			return nil
		}
		// The connection implies nothing about the job; its files do, if they can be read.
		s, gone := Look(r.Dir)
		if gone != nil {
			return nil // removed
		}
		if s.Status.Finished() || errors.Is(err, ErrNoSocket) && s.Link != record.LinkUnreachable {
			report(s, record.Note{})
		}
		if s.Status.Finished() {
			return nil
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// after returns the state after applying facts, and their notification.
func (r *Run) after(s record.State, f Facts) (record.State, record.Note) {
	if f.State != nil {
		s = r.StateOf(f.State)
	}
	s.Output, s.Dropped, s.Bells, s.Unrecorded = f.Output, f.Dropped, f.Bells, f.Unrecorded
	if f.Note == nil {
		return s, record.Note{}
	}
	return s, *f.Note
}

// StateOf completes a state sent by the holder, which contains only what state.json has.
func (r *Run) StateOf(st *record.State) record.State {
	return stateOf(&jobdir.Record{Meta: jobdir.Meta{Request: r.Request}, State: *st, Started: !st.StartedAt.IsZero()})
}

// stream calls more with the facts from the holder, until more returns false, which is not an error.
func (r *Run) stream(ctx context.Context, more func(Facts) bool) error {
	c, err := Dial(ctx, r.Dir)
	if err != nil {
		return err
	}
	defer c.Close()
	throttled := r.throttled.Load()
	if err := c.Stream(ctx, TypeSubscribe, r.subscription(throttled)); err != nil {
		return err
	}
	paced, stop := context.WithCancel(ctx)
	var pace sync.WaitGroup
	pace.Go(func() { r.keepPace(paced, c, throttled) })
	defer pace.Wait()
	defer stop()
	for {
		f, err := c.Next(ctx)
		if err != nil {
			return err
		}
		var facts Facts
		if f.Type != TypeFacts || json.Unmarshal(f.Payload, &facts) != nil {
			continue // of a later version
		}
		if !more(facts) {
			return nil
		}
	}
}

// subscription returns the request for facts.
func (r *Run) subscription(throttled bool) Subscribe {
	s := Subscribe{Shows: r.shows}
	if throttled {
		s.PaceMS = throttledPace.Milliseconds()
	}
	return s
}

// keepPace updates the pace of the subscription of c after calls of Throttle, until ctx is done or the
// connection has ended.
func (r *Run) keepPace(ctx context.Context, c *Client, throttled bool) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.paced:
		}
		now := r.throttled.Load()
		if now == throttled {
			continue
		}
		if err := c.Do(ctx, TypeSubscribe, r.subscription(now), nil); err != nil {
			return
		}
		throttled = now
	}
}
