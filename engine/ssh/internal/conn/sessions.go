package conn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// Class is a kind of request. Each class has sessions of its own, so that a long answer or a slow stop
// delays nothing else; together they are four, fewer than any server allows.
type Class int

// The classes.
const (
	Quick Class = iota // listings, and requests that take no time
	Bulk               // bytes of logs
	Slow               // starts, stops, input
	Classes
)

func (class Class) sessions() int {
	if class == Slow {
		return 2
	}
	return 1
}

// OpenLimit bounds the time until a session answers.
const OpenLimit = 20 * time.Second

type pooled struct {
	*shell.Session
	pending int
}

// Do runs script on a session of class; limit is how long it may take there.
func (c *Conn) Do(ctx context.Context, class Class, script string, limit time.Duration) (shell.Answer, error) {
	s, err := c.take(ctx, class)
	if err != nil {
		return shell.Answer{}, err
	}
	defer c.release(s)
	return s.Do(ctx, script, limit)
}

// take picks the session of class with the least to do, or opens one.
func (c *Conn) take(ctx context.Context, class Class) (*pooled, error) {
	if s := c.idle(class, false); s != nil {
		return s, nil
	}
	c.opening[class].Lock()
	defer c.opening[class].Unlock()
	if s := c.idle(class, false); s != nil {
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
			for _, other := range []Class{class, Slow, Bulk, Quick} {
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
	c.open[class] = append(c.open[class], one)
	return one, nil
}

// Own takes a session of class out of the pool, for the caller alone. Where only one that
// is in use can be had the error is ErrNoSlot.
func (c *Conn) Own(ctx context.Context, class Class) (*shell.Session, error) {
	s, err := c.take(ctx, class)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.pending--
	i := slices.Index(c.open[class], s)
	if i < 0 || s.pending > 0 {
		return nil, shell.ErrNoSlot
	}
	c.open[class] = slices.Delete(c.open[class], i, i+1)
	return s.Session, nil
}

// reopenEvery is the pause between attempts of [Conn.Reopen].
const reopenEvery = 50 * time.Millisecond

// Reopen opens a session of class in place of one that [Conn.Own] has taken and that has ended. A server
// that allows no further session may notice that end late.
func (c *Conn) Reopen(ctx context.Context, class Class) error {
	for {
		s, err := c.take(ctx, class)
		if err == nil {
			c.release(s)
			return nil
		}
		if !errors.Is(err, shell.ErrNoSlot) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(reopenEvery):
		}
	}
}

// release notes that a request is done.
func (c *Conn) release(s *pooled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.pending--
}

// any reports whether any class has a session.
func (c *Conn) any() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.open[:], func(some []*pooled) bool { return len(some) > 0 })
}

// Prepare opens a session of class, so that the first request need not wait for it. If it fails,
// the request tries again.
func (c *Conn) Prepare(ctx context.Context, class Class) {
	s, err := c.take(ctx, class)
	if err == nil {
		c.release(s)
	}
}

// idle returns a session of class without work. If the class has all that it may, or anyGood is set, it returns the
// one with the least work. It returns nil if the class has none, or if another one may be opened.
func (c *Conn) idle(class Class, anyGood bool) *pooled {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[class] = slices.DeleteFunc(c.open[class], func(s *pooled) bool { return s.Err() != nil })
	var best *pooled
	for _, s := range c.open[class] {
		if best == nil || s.pending < best.pending {
			best = s
		}
	}
	if best == nil {
		return nil
	}
	mayOpen := !anyGood && len(c.open[class]) < class.sessions()
	if best.pending > 0 && mayOpen {
		return nil
	}
	best.pending++
	return best
}

// Load returns how many sessions class has, and how many requests they carry out.
func (c *Conn) Load(class Class) (sessions, pending int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.open[class] {
		if s.Err() == nil {
			sessions++
			pending += s.pending
		}
	}
	return sessions, pending
}

func (c *Conn) start(ctx context.Context) (*shell.Session, error) {
	ch, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	prelude := recipe.Prelude()
	if c.cluster {
		prelude = recipe.ClusterPrelude()
	}
	return shell.NewSession(ch, prelude, OpenLimit), nil
}

// closeSessions closes all sessions, also those that are being opened.
func (c *Conn) closeSessions() {
	c.mu.Lock()
	c.closed = true
	open := c.open
	c.open = [Classes][]*pooled{}
	c.mu.Unlock()
	for _, l := range open {
		for _, s := range l {
			s.Close()
		}
	}
}
