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

// Wait returns when the job has ended.
func (r *Run) Wait(ctx context.Context) (record.Exit, error) {
	var exit record.Exit
	err := r.Watch(ctx, func(s record.State, _ record.Note) { exit = s.Exit })
	return exit, err
}

// Glance sets whether nobody looks closely at the job. It may be called at any time, and
// waits for nothing.
func (r *Run) Glance(on bool) {
	r.glances.Store(on)
	select {
	case r.paced <- struct{}{}:
	default:
	}
}

const (
	// lookPause is the time between looks at the files of a job whose holder does not
	// answer on a socket.
	lookPause = 250 * time.Millisecond
	// glancePause is how often a holder reports output of a job that is not looked at
	// closely.
	glancePause = time.Second
)

// Watch calls notify with the state of the job now and after each change, until its end;
// it returns nil then, and for a job that was removed. It keeps one connection to the
// holder; where that is not to be had it looks at the files.
func (r *Run) Watch(ctx context.Context, notify func(record.State, record.Note)) error {
	var last record.State
	tell := func(s record.State, note record.Note) {
		last = s
		notify(s, note)
	}
	for {
		err := r.stream(ctx, func(f Facts) bool {
			s, note := r.after(last, f)
			tell(s, note)
			return !s.Status.Finished()
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if err == nil {
			return nil
		}
		// The connection says nothing about the job; its files do, if they can be read.
		s, gone := Look(r.Dir)
		if gone != nil {
			return nil // where it was moved to, the engine knows
		}
		if s.Status.Finished() || errors.Is(err, ErrNoSocket) && s.Link != record.LinkUnreachable {
			tell(s, record.Note{})
		}
		if s.Status.Finished() {
			return nil
		}
		select {
		case <-time.After(lookPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// after returns the state after facts, and the notification among them.
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

// StateOf completes a state that the holder has sent, of which the wire has what
// state.json has.
func (r *Run) StateOf(st *record.State) record.State {
	return stateOf(&jobdir.Record{Meta: jobdir.Meta{Request: r.request}, State: *st, Started: !st.StartedAt.IsZero()})
}

// stream passes the facts on that the holder gives, until more is false, which is no
// error.
func (r *Run) stream(ctx context.Context, more func(Facts) bool) error {
	begun := begin(ctx)
	defer begun()
	c, err := Dial(ctx, r.Dir)
	if err != nil {
		return err
	}
	defer c.Close()
	glances := r.glances.Load()
	if err := c.Stream(ctx, TypeSubscribe, r.subscription(glances)); err != nil {
		return err
	}
	paced, stop := context.WithCancel(ctx)
	var pace sync.WaitGroup
	pace.Go(func() { r.keepPace(paced, c, glances) })
	defer pace.Wait()
	defer stop()
	for {
		f, err := c.Next(ctx)
		if err != nil {
			return err
		}
		var facts Facts
		if f.Type != TypeFacts || json.Unmarshal(f.Payload, &facts) != nil {
			continue // of a later version; the next one may be read
		}
		begun()
		if !more(facts) {
			return nil
		}
	}
}

// subscription is what the holder is asked for.
func (r *Run) subscription(glances bool) Subscribe {
	s := Subscribe{Shows: r.shows}
	if glances {
		s.PaceMS = glancePause.Milliseconds()
	}
	return s
}

// keepPace changes the subscription of c with how closely the job is looked at, until
// ctx is done or the connection has ended.
func (r *Run) keepPace(ctx context.Context, c *Client, glances bool) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.paced:
		}
		now := r.glances.Load()
		if now == glances {
			continue
		}
		if err := c.Do(ctx, TypeSubscribe, r.subscription(now), nil); err != nil {
			return
		}
		glances = now
	}
}

const (
	// maxTurns is how many watches begin at once: holders that have to wake up to
	// answer need the processor as much as whoever waits for what is shown first.
	maxTurns = 8
	// turnPatience is how long one may keep the next from beginning. A holder that
	// is stopped answers never.
	turnPatience = 50 * time.Millisecond
)

// turns has a value for each watch of this program that begins.
var turns = make(chan struct{}, maxTurns)

// begin waits for the turn of a watch. The function that it returns, which may be called
// more than once, gives the turn to the next.
func begin(ctx context.Context) (over func()) {
	select {
	case turns <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	giveBack := sync.OnceFunc(func() { <-turns })
	late := time.AfterFunc(turnPatience, giveBack)
	return func() {
		late.Stop()
		giveBack()
	}
}
