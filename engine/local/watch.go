package local

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
)

// lookPause is the time between looks at the files of a job whose holder does not
// answer on a socket.
const lookPause = 250 * time.Millisecond

// glancePause is how often a holder reports output of a job that is not looked at
// closely.
const glancePause = time.Second

// Watch implements [engine.Run]. It keeps one connection to the holder; where
// that is not to be had it looks at the files.
func (r *Run) Watch(ctx context.Context, notify func(engine.State, engine.Note)) error {
	w := watcher{r: r, notify: notify}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		ended, err := w.follow(ctx)
		if ended || err == nil && ctx.Err() != nil {
			return ctx.Err()
		}
		// The connection says nothing about the job; its files do, if they can be read.
		s, there := observe(r.dir)
		if !there {
			return nil // where it was moved to, the engine knows
		}
		if s.Status.Finished() {
			w.tell(s, engine.Note{})
			return nil
		}
		if errors.Is(err, holder.ErrNoSocket) && s.Link != engine.LinkUnreachable {
			w.tell(s, engine.Note{})
		}
		if !sleep(ctx, lookPause) {
			return ctx.Err()
		}
	}
}

// watcher is one Watch.
type watcher struct {
	r      *Run
	notify func(engine.State, engine.Note)
	last   engine.State
}

func (w *watcher) tell(s engine.State, note engine.Note) {
	w.last = s
	w.notify(s, note)
}

// follow takes facts from the holder as long as it gives them. ended means that
// the end was told.
func (w *watcher) follow(ctx context.Context) (ended bool, err error) {
	begun := w.r.b.begin(ctx)
	defer begun()
	c, err := holder.Dial(ctx, w.r.dir)
	if err != nil {
		return false, err
	}
	defer c.Close()
	glances := w.r.glances.Load()
	if err := c.Stream(ctx, holder.TypeSubscribe, w.r.subscription(glances)); err != nil {
		return false, err
	}
	paced, stop := context.WithCancel(ctx)
	var pace sync.WaitGroup
	pace.Go(func() { w.r.keepPace(paced, c, glances) })
	defer pace.Wait()
	defer stop()
	for {
		f, err := c.Next(ctx)
		if err != nil {
			return false, err
		}
		if f.Type != holder.TypeFacts {
			continue
		}
		var facts holder.Facts
		if err := json.Unmarshal(f.Payload, &facts); err != nil {
			continue // of a later version; the next one may be read
		}
		begun()
		s := w.update(facts)
		var note engine.Note
		if facts.Note != nil {
			note = engine.Note(*facts.Note)
		}
		w.tell(s, note)
		if s.Status.Finished() {
			return true, nil
		}
	}
}

// subscription is what the holder is asked for.
func (r *Run) subscription(glances bool) holder.Subscribe {
	s := holder.Subscribe{Shows: r.b.shows}
	if glances {
		s.PaceMS = glancePause.Milliseconds()
	}
	return s
}

// keepPace changes the subscription of c with how closely the job is looked at, until
// ctx is done or the connection has ended.
func (r *Run) keepPace(ctx context.Context, c *holder.Client, glances bool) {
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
		if err := c.Do(ctx, holder.TypeSubscribe, r.subscription(now), nil); err != nil {
			return
		}
		glances = now
	}
}

// update is what is known after facts.
func (w *watcher) update(facts holder.Facts) engine.State {
	s := w.last
	if facts.State != nil {
		s = w.r.stateOf(facts.State)
	}
	s.Output, s.Dropped, s.Bells, s.Unrecorded = facts.Output, facts.Dropped, facts.Bells, facts.Unrecorded
	return s
}

// stateOf returns the state that the holder has sent.
func (r *Run) stateOf(st *engine.State) engine.State {
	return stateOf(&jobdir.Record{Meta: jobdir.Meta{Request: r.request}, State: *st, Started: !st.StartedAt.IsZero()})
}

// sleep waits for d; it reports false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
