package ssh

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// lane is a kind of request. Each lane has sessions of its own, so that a long answer or a slow stop
// delays nothing else; together they are four, fewer than any server allows.
type lane int

const (
	quick lane = iota // listings, and requests that take no time
	bulk              // bytes of logs
	slow              // starts, stops, input
	lanes
)

func (l lane) sessions() int {
	if l == slow {
		return 2
	}
	return 1
}

const openLimit = 20 * time.Second

type pooled struct {
	*shell.Session
	pending int
}

// do runs script on a session of lane l; limit is how long it may take there.
func (c *conn) do(ctx context.Context, l lane, script string, limit time.Duration) (shell.Answer, error) {
	s, err := c.take(ctx, l)
	if err != nil {
		return shell.Answer{}, err
	}
	a, err := s.Do(ctx, script, limit)
	c.mu.Lock()
	defer c.mu.Unlock()
	s.pending--
	return a, err
}

// take picks the session of the lane with the least to do, or opens one.
func (c *conn) take(ctx context.Context, l lane) (*pooled, error) {
	if s := c.idle(l, false); s != nil {
		return s, nil
	}
	c.opening[l].Lock()
	defer c.opening[l].Unlock()
	if s := c.idle(l, false); s != nil {
		return s, nil
	}
	if !c.any() {
		c.first.Lock()
		defer c.first.Unlock()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := c.start(ctx)
	if err != nil {
		// The server allows no further session: share an open one.
		if errors.Is(err, shell.ErrNoSlot) {
			for _, other := range []lane{l, slow, bulk, quick} {
				if s := c.idle(other, true); s != nil {
					return s, nil
				}
			}
		}
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		s.Close()
		return nil, shell.ErrClosed
	}
	one := &pooled{Session: s, pending: 1}
	c.open[l] = append(c.open[l], one)
	return one, nil
}

// own takes a session of lane l out of the pool, for the caller alone. Where only one that
// is in use can be had the error is ErrNoSlot.
func (c *conn) own(ctx context.Context, l lane) (*shell.Session, error) {
	s, err := c.take(ctx, l)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.pending--
	i := slices.Index(c.open[l], s)
	if i < 0 || s.pending > 0 {
		return nil, shell.ErrNoSlot
	}
	c.open[l] = slices.Delete(c.open[l], i, i+1)
	return s.Session, nil
}

// any reports whether any lane has a session.
func (c *conn) any() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.open[:], func(lane []*pooled) bool { return len(lane) > 0 })
}

// prepare opens a session of lane l, so that the first request need not wait for it. If it fails,
// the request tries again.
func (c *conn) prepare(ctx context.Context, l lane) {
	s, err := c.take(ctx, l)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.pending--
}

// idle returns a session of lane l without work. If the lane is full, or anyGood is set, it returns the
// one with the least work. It returns nil if the lane has none, or if another one may be opened.
func (c *conn) idle(l lane, anyGood bool) *pooled {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[l] = slices.DeleteFunc(c.open[l], func(s *pooled) bool { return s.Err() != nil })
	var best *pooled
	for _, s := range c.open[l] {
		if best == nil || s.pending < best.pending {
			best = s
		}
	}
	if best == nil {
		return nil
	}
	mayOpen := !anyGood && len(c.open[l]) < l.sessions()
	if best.pending > 0 && mayOpen {
		return nil
	}
	best.pending++
	return best
}

// canShare reports whether lane l has an idle session while lane to has none at all: opening another
// costs round trips, and a start of the login shell on the host.
func (c *conn) canShare(l, to lane) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	alive := func(s *pooled) bool { return s.Err() == nil }
	if slices.ContainsFunc(c.open[to], alive) {
		return false
	}
	return slices.ContainsFunc(c.open[l], func(s *pooled) bool { return alive(s) && s.pending == 0 })
}

func (c *conn) start(ctx context.Context) (*shell.Session, error) {
	ch, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	prelude := recipe.Prelude()
	if c.cluster {
		prelude = recipe.ClusterPrelude()
	}
	return shell.NewSession(ch, prelude, openLimit), nil
}

// closeSessions closes all sessions, also those that are being opened.
func (c *conn) closeSessions() {
	c.mu.Lock()
	c.closed = true
	open := c.open
	c.open = [lanes][]*pooled{}
	c.mu.Unlock()
	for _, l := range open {
		for _, s := range l {
			s.Close()
		}
	}
}
