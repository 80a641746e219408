package ssh

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

const (
	firstPause = 500 * time.Millisecond
	mostPause  = time.Minute
	// eagerPause is the usual pause for a call that somebody waits for.
	eagerPause = time.Second
	steadyFor  = 10 * time.Second // after that long a connection counts as a good one
	dialLimit  = 30 * time.Second
	askLimit   = 15 * time.Second
	// lossNoticed is how long after a session's end that of its connection is told.
	lossNoticed = 500 * time.Millisecond
	// promptly is how long a look waits for a host that is connected.
	promptly = 250 * time.Millisecond
	maxLooks = 3 // at once that nobody waits for any more
)

// host is one host: its connection, when there is one, and who watches jobs
// there.
type host struct {
	b     *Backend
	name  string
	looks atomic.Int32 // under way on behalf of [Backend.Observe]

	mu       sync.Mutex // guards what follows
	conn     *conn      // nil: not connected
	dialling *dialling  // nil: nobody is at it
	err      error      // why it is not connected; nil if that was not tried
	lost     bool       // err is the end of a connection; none was tried since
	since    time.Time  // of conn or err
	seen     time.Time  // when the host last answered
	failures int        // in a row
	failed   time.Time  // the last time
	next     time.Time  // not before that by itself
	watchers map[*watcher]struct{}
	logs     map[engine.ID]logFacts      // of jobs that are watched or read
	known    map[engine.ID]*recipe.Entry // of jobs that ran when they were last looked at
	polling  bool
	poke     chan struct{}
	swept    time.Time // when it was last swept
}

// conn is one connection.
type conn struct {
	shell.Transport
	*pool
	host  recipe.Host
	since time.Time
}

// dialling is one attempt to connect; done is closed when it is over.
type dialling struct {
	interactive bool
	done        chan struct{}
	conn        *conn
	err         error
}

func newHost(b *Backend, name string) *host {
	return &host{b: b, name: name, watchers: map[*watcher]struct{}{}, logs: map[engine.ID]logFacts{}, known: map[engine.ID]*recipe.Entry{}, poke: make(chan struct{}, 1)}
}

// connect returns the connection, made if need be. Without a person who can be
// asked it does not try again what failed a moment ago, or for good.
func (h *host) connect(ctx context.Context, asks bool) (*conn, error) {
	return h.connectAfter(ctx, asks, h.b.eager)
}

// connectAfter is connect with the longest pause since the last attempt that the
// caller puts up with.
func (h *host) connectAfter(ctx context.Context, asks bool, most time.Duration) (*conn, error) {
	for {
		h.mu.Lock()
		if c := h.conn; c != nil {
			if !c.gone() {
				h.mu.Unlock()
				return c, nil
			}
			h.lostLocked(c, c.Err()) // nobody has noticed yet
		}
		d := h.dialling
		if d == nil {
			if wait, err := h.pauseLocked(most); !asks && (wait > 0 || err != nil) {
				h.mu.Unlock()
				if err != nil {
					return nil, err
				}
				if err := sleep(ctx, wait); err != nil {
					return nil, err
				}
				continue
			}
			d = &dialling{interactive: asks, done: make(chan struct{})}
			dialCtx := h.b.life
			stop := func() {}
			if asks {
				// Questions end with the call that they are asked for.
				dialCtx, stop = context.WithCancel(ctx)
				context.AfterFunc(h.b.life, stop)
			}
			if !h.b.goes(func() { defer stop(); h.dial(dialCtx, d) }) {
				h.mu.Unlock()
				stop()
				return nil, engine.ErrClosed
			}
			h.dialling = d
		}
		h.mu.Unlock()
		select {
		case <-d.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if d.conn != nil {
			return d.conn, nil
		}
		// An attempt that could ask nobody is no answer to who can be.
		if !asks || d.interactive {
			return nil, d.err
		}
	}
}

// pauseLocked is how long to wait before another attempt may be made for who puts
// up with most since the last one; an error says that there is nothing to wait
// for. What a person is needed for is never due by itself. A connection that was
// lost is no failed attempt: the call that comes after it has it made again, the
// first time at once.
func (h *host) pauseLocked(most time.Duration) (time.Duration, error) {
	now := time.Now()
	if h.err == nil || !now.Before(h.next) {
		return 0, nil
	}
	if he, ok := errors.AsType[*HostError](h.err); ok && he.Attention {
		return 0, h.err
	}
	wait := min(h.next.Sub(now), h.failed.Add(most).Sub(now))
	switch {
	case wait <= 0, h.lost && most <= h.b.eager && h.failures <= 1:
		return 0, nil
	case h.lost && most <= h.b.eager:
		return wait, nil
	}
	return 0, h.err
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// dial makes one attempt.
func (h *host) dial(ctx context.Context, d *dialling) {
	select {
	case h.b.dials <- struct{}{}:
		defer func() { <-h.b.dials }()
	case <-ctx.Done():
	}
	c, err := h.attempt(WithInteraction(ctx, d.interactive))
	if h.name != "" && !errors.Is(err, context.Canceled) {
		h.b.reports(h.name, unreachable(h.name, err))
	}
	h.mu.Lock()
	h.dialling = nil
	now := time.Now()
	if err != nil {
		d.err = unreachable(h.name, err)
		if !errors.Is(err, context.Canceled) { // giving up is not the host's fault
			h.failedLocked(d.err, now)
			h.lost = false
		}
	} else {
		h.conn, h.err, h.lost, h.since, h.seen = c, nil, false, now, now
		d.conn = c
	}
	h.mu.Unlock()
	close(d.done)
	if c == nil {
		h.kick()
		return
	}
	if !h.b.goes(func() { h.mind(c) }) {
		c.shut()
	}
	h.kick()
}

// attempt connects and says hello.
func (h *host) attempt(ctx context.Context) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !interactive(ctx, false) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, dialLimit)
		defer cancel()
	}
	tr, err := h.b.reach(ctx, h.name)
	if err != nil {
		return nil, err
	}
	c := &conn{Transport: tr, pool: &pool{tr: tr}, since: time.Now()}
	a, err := c.do(ctx, quick, h.b.hello(h.name), askLimit)
	if err == nil {
		c.host = recipe.ParseHello(a.Out)
		if c.host.Base == "" {
			err = &client.Error{Step: "session", Err: errors.New("there is no HOME to keep jobs in, and no place for temporary files"), Final: true, Hint: stateDirHint(h.name)}
		}
	} else if broken, ok := errors.AsType[*shell.BrokenError](err); ok {
		if errors.Is(err, shell.ErrTimeout) {
			h.b.dialer.Distrust(tr)
		}
		if e := noShell(tr, broken); !e.Final || !breaks(tr) {
			err = e
		}
	}
	if err != nil {
		c.shut()
		return nil, err
	}
	return c, nil
}

// noShell is the error where a connection was made, but no sh answers there. A container
// can be started again.
func noShell(tr shell.Transport, err error) *client.Error {
	if _, ok := tr.(*client.Container); ok {
		return &client.Error{Step: "session", Err: err, Hint: "the container must run, and have a sh; of one that is gone hob clear --forget ID forgets the job"}
	}
	return &client.Error{Step: "session", Err: err, Final: true, Hint: "the account there must allow to run sh"}
}

// breaks reports whether a connection whose session has just ended is breaking
// itself: the session's end is told before that of its connection.
func breaks(tr shell.Transport) bool {
	select {
	case <-tr.Done():
		return true
	case <-time.After(lossNoticed):
		return false
	}
}

func (h *host) failedLocked(err error, now time.Time) {
	if h.err == nil {
		h.since = now
	}
	h.err, h.failed = err, now
	pause := min(mostPause, firstPause<<min(h.failures, 10))
	h.failures++
	h.next = now.Add(time.Duration(rand.Int64N(int64(pause)))/2 + pause/2)
	if he, ok := errors.AsType[*HostError](err); ok && he.Attention {
		h.next = now.Add(24 * time.Hour)
	}
}

// mind waits for the end of a connection.
func (h *host) mind(c *conn) {
	select {
	case <-c.Done():
	case <-h.b.life.Done():
	}
	h.lose(c, c.Err())
	c.shut()
}

// lose notes that a connection is gone.
func (h *host) lose(c *conn, err error) {
	h.mu.Lock()
	h.lostLocked(c, err)
	h.mu.Unlock()
	h.kick()
}

func (h *host) lostLocked(c *conn, err error) {
	if h.conn != c {
		return
	}
	if err == nil {
		err = errors.New("the connection was closed")
	}
	h.conn = nil
	if time.Since(c.since) > steadyFor {
		h.failures = 0
	}
	h.failedLocked(unreachable(h.name, err), time.Now())
	h.lost = true
	time.AfterFunc(tellLoss, h.tellLost)
}

// gone reports whether the connection has ended.
func (c *conn) gone() bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

// shut closes the connection and everything of it.
func (c *conn) shut() {
	c.Transport.Close()
	c.pool.close()
}

func (h *host) close() {
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c != nil {
		c.Transport.Close()
	}
}

// kick makes the poller look again now.
func (h *host) kick() {
	select {
	case h.poke <- struct{}{}:
	default:
	}
}

// prepare has a session of lane l opened, on a host that is connected, for a request that
// is about to come: to open one takes several round trips.
func (h *host) prepare(l lane) {
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c != nil {
		h.b.goes(func() { c.prepare(h.b.life, l) })
	}
}

// own opens a session of lane l for the caller alone, who closes it.
func (h *host) own(ctx context.Context, l lane) (*shell.Session, error) {
	c, err := h.connect(ctx, interactive(ctx, true))
	if err != nil {
		return nil, err
	}
	return c.own(ctx, l)
}

type askOptions struct {
	asks  bool          // a person may be asked
	brief bool          // of [Run.act]: it is done at once
	lent  bool          // a session of the quick lane does where none of its own is open
	once  bool          // not to be repeated if it is unknown whether it was done
	limit time.Duration // 0: askLimit
}

// ask carries out one request. If the connection breaks it is repeated once, on a
// new one, unless that could do harm.
func (h *host) ask(ctx context.Context, l lane, script string, o askOptions) (shell.Answer, error) {
	if o.limit == 0 {
		o.limit = askLimit
	}
	for attempt := 0; ; attempt++ {
		c, err := h.connect(ctx, interactive(ctx, o.asks))
		if err != nil {
			return shell.Answer{}, unreachable(h.name, err)
		}
		on := l
		if o.lent && c.lends(quick, l) {
			on = quick
		}
		a, err := c.do(ctx, on, script, o.limit)
		if err == nil {
			h.mu.Lock()
			h.seen = time.Now()
			h.mu.Unlock()
			return a, nil
		}
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		if errors.Is(err, shell.ErrTimeout) && l == quick {
			// A listing that does not come is a connection that is dead.
			h.b.dialer.Distrust(c.Transport)
			h.lose(c, err)
			c.Transport.Close()
			return a, unreachable(h.name, err)
		}
		// Without a BrokenError no session could be opened: nothing was sent.
		broken, isBroken := errors.AsType[*shell.BrokenError](err)
		if attempt > 0 || o.once && isBroken && broken.Sent {
			return a, unreachable(h.name, err)
		}
		// Wait for the loss to be noticed where it was the connection that broke.
		select {
		case <-c.Done():
			h.lose(c, c.Err())
		case <-time.After(50 * time.Millisecond):
			if !isBroken {
				return a, unreachable(h.name, err)
			}
		}
	}
}
