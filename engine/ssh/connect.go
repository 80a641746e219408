package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/statedir"
)

const (
	firstPause = 500 * time.Millisecond // after a failed attempt; it doubles with each
	mostPause  = time.Minute
	eagerPause = time.Second      // the longest pause while a caller waits for the connection
	steadyFor  = 10 * time.Second // a connection that lasted that long ends a row of failures
	// lossNoticed is how long after a session's end the end of its connection is reported.
	lossNoticed = 500 * time.Millisecond
)

// dialing is one attempt to connect; done is closed when it is over.
type dialing struct {
	interactive bool
	done        chan struct{}
	conn        *conn.Conn
	err         error
}

// connect returns the connection, and makes it if necessary. asks reports whether it may prompt the
// user, unless ctx specifies it; see [WithInteraction]. If it may not, it does not retry what failed
// a moment ago, or for good.
func (h *host) connect(ctx context.Context, asks bool) (*conn.Conn, error) {
	return h.connectAfter(ctx, asks, h.b.eager)
}

// connectAfter is connect for a caller that waits until at most most has passed since the last
// attempt.
func (h *host) connectAfter(ctx context.Context, asks bool, most time.Duration) (*conn.Conn, error) {
	asks = interactive(ctx, asks)
	waiting, cancel := forHost(ctx)
	defer cancel()
	for {
		h.mu.Lock()
		if c := h.conn; c != nil {
			if !c.Gone() {
				h.mu.Unlock()
				return c, nil
			}
			h.lostLocked(c, c.Err()) // the loss is not recorded yet
		}
		d := h.dialing
		if d == nil {
			var pause time.Duration
			var err error
			if !asks {
				pause, err = h.pauseLocked(most)
			}
			if err != nil {
				h.mu.Unlock()
				return nil, err
			}
			if pause > 0 {
				h.mu.Unlock()
				if sleep(waiting, pause) != nil {
					return nil, waitError(ctx, waiting, h.name)
				}
				continue
			}
			if d = h.startDialLocked(ctx, asks); d == nil {
				h.mu.Unlock()
				return nil, engine.ErrClosed
			}
		}
		h.mu.Unlock()
		select {
		case <-d.done:
		case <-waiting.Done():
			return nil, waitError(ctx, waiting, h.name)
		}
		if d.conn != nil {
			return d.conn, nil
		}
		// An attempt that could not prompt does not count for a caller that can, if that was the cause.
		if !asks || d.interactive || !needsUser(d.err) {
			return nil, d.err
		}
	}
}

// startDialLocked begins an attempt; nil: the backend is closed. Questions end with the call ctx that
// they are asked for; an attempt without questions outlives it.
func (h *host) startDialLocked(ctx context.Context, asks bool) *dialing {
	d := &dialing{interactive: asks, done: make(chan struct{})}
	life := h.b.life
	if asks {
		life = ctx
	}
	dialCtx, stop := context.WithCancel(life)
	if !h.b.async(func() {
		defer stop()
		defer context.AfterFunc(h.b.life, stop)()
		h.dial(dialCtx, d)
	}) {
		stop()
		return nil
	}
	h.dialing = d
	return d
}

// needsUser reports whether connecting failed for a reason that only the user can remove.
func needsUser(err error) bool {
	he, ok := errors.AsType[*HostError](err)
	return ok && he.Attention
}

// pauseLocked returns how long to wait before another attempt, for a caller that accepts a pause of
// at most most since the last one, or the error of the last one if the caller should not wait. An
// error that needs the user is never retried without one. A lost connection is not a failed attempt:
// the next call makes it again, the first time at once.
func (h *host) pauseLocked(most time.Duration) (time.Duration, error) {
	now := time.Now()
	if h.err == nil || !now.Before(h.next) {
		return 0, nil
	}
	if needsUser(h.err) {
		return 0, h.err
	}
	wait := min(h.next.Sub(now), h.failed.Add(most).Sub(now))
	retries := h.lost && most <= h.b.eager
	switch {
	case wait <= 0:
		return 0, nil
	case !retries:
		return 0, h.err
	case h.failures <= 1:
		return 0, nil
	}
	return wait, nil
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
func (h *host) dial(ctx context.Context, d *dialing) {
	select {
	case h.b.dials <- struct{}{}:
		defer func() { <-h.b.dials }()
	case <-ctx.Done():
	}
	c, err := h.attempt(WithInteraction(ctx, d.interactive))
	if !errors.Is(err, context.Canceled) {
		h.recordLink(unreachable(h.name, err))
	}
	h.mu.Lock()
	h.dialing = nil
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
		h.wakePoller()
		return
	}
	if !h.b.async(func() { h.watchConn(c) }) {
		c.Shut()
	}
	h.wakePoller()
}

// recordLink records for other programs whether the host could be reached.
func (h *host) recordLink(failure error) {
	if h.name == "" || h.b.linkRecords == "" {
		return
	}
	reason := ""
	if failure != nil {
		reason = failure.Error()
	}
	if err := statedir.RecordHostError(h.b.linkRecords, h.name, reason); err != nil {
		h.b.log.Debug("cannot record whether the host is reachable", "host", h.name, "err", err)
	}
}

// attempt connects and sends the hello request. Both together take no longer than connecting may.
func (h *host) attempt(ctx context.Context) (*conn.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := h.b.limit(ctx, h.name)
	defer cancel()
	tr, err := h.b.reach(ctx, h.name)
	if err != nil {
		return nil, err
	}
	c := newConn(tr, h.name)
	a, err := c.Do(ctx, quick, h.b.hello(h.name), askLimit)
	if err == nil {
		c.Host = recipe.ParseHello(a.Out)
		err = placeForJobs(h.name, c.Host)
	} else if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		h.b.dialer.MarkUnresponsive(tr)
		err = &client.Error{
			Step: "session",
			Err:  errors.New("logged in, but sh does not answer in time"),
			Hint: "the start-up files of the account may block, or read their standard input; " + client.SlowHint,
		}
	} else if broken, ok := errors.AsType[*shell.BrokenError](err); ok {
		if errors.Is(err, shell.ErrTimeout) {
			h.b.dialer.MarkUnresponsive(tr)
		}
		if e := noShell(tr, broken); !e.Final || !breaks(tr) {
			err = e
		}
	}
	if err != nil {
		c.Shut()
		return nil, err
	}
	return c, nil
}

// placeForJobs returns an error for a host that has no directory for jobs, or one that other users
// control: they could make hob end other processes there, and read what is typed into jobs.
func placeForJobs(name string, host recipe.Host) error {
	switch {
	case host.Base == "":
		return &client.Error{
			Step:  "session",
			Err:   errors.New("there is no HOME to keep jobs in, and no place for temporary files"),
			Final: true,
			Hint:  stateDirHint(name),
		}
	case host.Unsafe != "" && name != "": // package engine checks the directory of this machine
		return &client.Error{
			Step:  "session",
			Err:   fmt.Errorf("the directory for jobs, %s, is not safe: %s", host.Base, host.Unsafe),
			Final: true,
			Hint:  unsafeHint(name, host.Unsafe),
		}
	}
	return nil
}

// checkBase returns an error if other users control base, a directory for jobs that is not the usual
// one of the host. It asks the host once for each connection.
func (h *host) checkBase(ctx context.Context, c *conn.Conn, base string) error {
	if base == c.Host.Base || h.name == "" {
		return nil
	}
	if _, safe := c.Safe.Load(base); safe {
		return nil
	}
	a, err := h.ask(ctx, quick, recipe.Trusted(base), askOptions{asks: true})
	if err != nil {
		return err
	}
	if why := wordOf(a.Out); why != "" {
		return unreachable(h.name, placeForJobs(h.name, recipe.Host{Base: base, Unsafe: why}))
	}
	c.Safe.Store(base, true)
	return nil
}

// limit bounds an attempt to connect to host, up to the first answer.
func (b *Backend) limit(ctx context.Context, host string) (context.Context, context.CancelFunc) {
	return client.Limit(ctx, cmp.Or(max(0, b.settings(host).ConnectTimeout), client.ConnectLimit))
}

// noShell is the error if a connection was made, but sh does not respond. For a container it is not final:
// the container can be restarted.
func noShell(tr shell.Transport, err error) *client.Error {
	if _, ok := tr.(*client.Container); ok {
		return &client.Error{
			Step: "session",
			Err:  err,
			Hint: "the container must be running and have sh; if it no longer exists, hob clear --forget ID removes the record of the job",
		}
	}
	return &client.Error{
		Step:  "session",
		Err:   err,
		Final: true,
		Hint:  "the account must be allowed to run sh",
	}
}

// breaks reports whether the connection of a session that has just ended is breaking too: the end
// of a session is reported before that of its connection.
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
	if needsUser(err) {
		h.next = now.Add(24 * time.Hour)
	}
}

// watchConn waits for the end of a connection.
func (h *host) watchConn(c *conn.Conn) {
	select {
	case <-c.Done():
	case <-h.b.life.Done():
	}
	h.lose(c, c.Err())
	c.Shut()
}

// lose notes that a connection is gone.
func (h *host) lose(c *conn.Conn, err error) {
	h.mu.Lock()
	h.lostLocked(c, err)
	h.mu.Unlock()
	h.wakePoller()
}

func (h *host) lostLocked(c *conn.Conn, err error) {
	if h.conn != c {
		return
	}
	if err == nil {
		err = errors.New("the connection was closed")
	}
	h.conn = nil
	if time.Since(h.since) > steadyFor {
		h.failures = 0
	}
	h.failedLocked(unreachable(h.name, err), time.Now())
	h.lost = true
	time.AfterFunc(lossGrace, h.reportLoss)
}
