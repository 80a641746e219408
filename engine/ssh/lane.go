package ssh

import (
	"context"
	"errors"
	"slices"
	"sync"
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

// pool is the sessions of one connection.
type pool struct {
	tr      shell.Transport
	cluster bool // sessions know requests about jobs on a cluster

	// Each lane opens one session at a time. The first session of all is opened before any
	// other: a server that allows only one then refuses the others, which share it.
	opening [lanes]sync.Mutex
	first   sync.Mutex // locked after opening
	mu      sync.Mutex
	open    [lanes][]*pooled
	closed  bool
}

type pooled struct {
	*shell.Session
	pending int
}

// do runs script on a session of lane l; limit is how long it may take there.
func (p *pool) do(ctx context.Context, l lane, script string, limit time.Duration) (shell.Answer, error) {
	s, err := p.take(ctx, l)
	if err != nil {
		return shell.Answer{}, err
	}
	a, err := s.Do(ctx, script, limit)
	p.mu.Lock()
	defer p.mu.Unlock()
	s.pending--
	return a, err
}

// take picks the session of the lane with the least to do, or opens one.
func (p *pool) take(ctx context.Context, l lane) (*pooled, error) {
	if s := p.idle(l, false); s != nil {
		return s, nil
	}
	p.opening[l].Lock()
	defer p.opening[l].Unlock()
	if s := p.idle(l, false); s != nil {
		return s, nil
	}
	if !p.any() {
		p.first.Lock()
		defer p.first.Unlock()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := p.start(ctx)
	if err != nil {
		// The server allows no further session: share an open one.
		if errors.Is(err, shell.ErrNoSlot) {
			for _, other := range []lane{l, slow, bulk, quick} {
				if s := p.idle(other, true); s != nil {
					return s, nil
				}
			}
		}
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		s.Close()
		return nil, shell.ErrClosed
	}
	one := &pooled{Session: s, pending: 1}
	p.open[l] = append(p.open[l], one)
	return one, nil
}

// own takes a session of lane l out of the pool, for the caller alone. Where only one that
// is in use can be had the error is ErrNoSlot.
func (p *pool) own(ctx context.Context, l lane) (*shell.Session, error) {
	s, err := p.take(ctx, l)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.pending--
	i := slices.Index(p.open[l], s)
	if i < 0 || s.pending > 0 {
		return nil, shell.ErrNoSlot
	}
	p.open[l] = slices.Delete(p.open[l], i, i+1)
	return s.Session, nil
}

// any reports whether any lane has a session.
func (p *pool) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.open[:], func(lane []*pooled) bool { return len(lane) > 0 })
}

// prepare opens a session of lane l, so that the first request need not wait for it. If it fails,
// the request tries again.
func (p *pool) prepare(ctx context.Context, l lane) {
	s, err := p.take(ctx, l)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.pending--
}

// idle returns a session of lane l without work. If the lane is full, or anyGood is set, it returns the
// one with the least work. It returns nil if the lane has none, or if another one may be opened.
func (p *pool) idle(l lane, anyGood bool) *pooled {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[l] = slices.DeleteFunc(p.open[l], func(s *pooled) bool { return s.Err() != nil })
	var best *pooled
	for _, s := range p.open[l] {
		if best == nil || s.pending < best.pending {
			best = s
		}
	}
	if best == nil || best.pending > 0 && !anyGood && len(p.open[l]) < l.sessions() {
		return nil
	}
	best.pending++
	return best
}

// canShare reports whether lane l has an idle session while lane to has none at all: opening another
// costs round trips, and a start of the login shell on the host.
func (p *pool) canShare(l, to lane) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	alive := func(s *pooled) bool { return s.Err() == nil }
	return !slices.ContainsFunc(p.open[to], alive) && slices.ContainsFunc(p.open[l], func(s *pooled) bool { return alive(s) && s.pending == 0 })
}

func (p *pool) start(ctx context.Context) (*shell.Session, error) {
	ch, err := p.tr.Open(ctx)
	if err != nil {
		return nil, err
	}
	prelude := recipe.Prelude()
	if p.cluster {
		prelude = recipe.ClusterPrelude()
	}
	return shell.NewSession(ch, prelude, openLimit), nil
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	open := p.open
	p.open = [lanes][]*pooled{}
	p.mu.Unlock()
	for _, l := range open {
		for _, s := range l {
			s.Close()
		}
	}
}
