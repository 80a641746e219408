package ssh

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/hostjob"
)

const (
	askLimit  = 15 * time.Second // for the answer to a request
	lookLimit = 45 * time.Second // for a look that no caller waits for, connecting included
	// promptly is how long a look waits for a host that is connected.
	promptly = 250 * time.Millisecond
	maxLooks = 3 // at once, whose callers have stopped waiting
)

// The classes of requests.
const (
	quick = conn.Quick
	bulk  = conn.Bulk
	slow  = conn.Slow
)

// host is one host: its connection, if any, and the subscribers to jobs there.
type host struct {
	b     *Backend
	name  string
	looks atomic.Int32 // under way on behalf of [Backend.Observe]

	mu       sync.Mutex // guards what follows
	conn     *conn.Conn // nil: not connected
	dialing  *dialing   // nil: no attempt in progress
	err      error      // why it is not connected; nil if that was not tried
	lost     bool       // err is the end of a connection; none was tried since
	since    time.Time  // of conn or err
	seen     time.Time  // when the host last answered
	failures int        // in a row
	failed   time.Time  // the last time
	next     time.Time  // no attempt is made before, unless a caller requires it
	watchers map[*watcher]struct{}
	logs     map[engine.ID]logFacts      // of jobs that are watched or read
	known    map[engine.ID]*recipe.Entry // of jobs that ran when they were last looked at
	held     heldJobs
	notifies hostNotify
	polling  bool
	wake     chan struct{}
	swept    time.Time // when it was last swept
	queue    queue     // of the cluster whose login node it is
}

// newConn returns a connection to the host of that name. Jobs of a cluster may be found on this machine
// too, the empty name.
func newConn(tr shell.Transport, host string) *conn.Conn {
	_, onCluster := slurm.Login(host)
	return conn.New(tr, onCluster || host == "")
}

func newHost(b *Backend, name string) *host {
	return &host{
		b:        b,
		name:     name,
		watchers: map[*watcher]struct{}{},
		logs:     map[engine.ID]logFacts{},
		known:    map[engine.ID]*recipe.Entry{},
		held:     heldJobs{last: map[engine.ID]*hostjob.Job{}},
		wake:     make(chan struct{}, 1),
	}
}

// downLocked reports whether the last attempt to reach the host failed, or the connection was lost.
func (h *host) downLocked() bool { return h.conn == nil && h.err != nil }

// connected returns the connection to the host, or nil if there is none now.
func (h *host) connected() *conn.Conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.conn
}

func (h *host) close() {
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c != nil {
		c.Transport.Close()
	}
}

// wakePoller makes the poller recompute when to look next.
func (h *host) wakePoller() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// prepare opens a session of class in the background, on a host that is connected: opening one
// takes several round trips, and a request is expected soon.
func (h *host) prepare(class conn.Class) {
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c != nil {
		h.b.async(func() { c.Prepare(h.b.life, class) })
	}
}

// own opens a session of class for the exclusive use of the caller, which must close it.
func (h *host) own(ctx context.Context, class conn.Class) (*shell.Session, error) {
	c, err := h.connect(ctx, true)
	if err != nil {
		return nil, err
	}
	return c.Own(ctx, class)
}

type askOptions struct {
	asks     bool          // the user may be prompted
	mayShare bool          // an idle session of the class quick will do if there is none
	files    bool          // it needs only the files of a job, not its processes
	once     bool          // not to be repeated if it is unknown whether it was carried out
	looks    bool          // it changes nothing, so that a program checked when the connection was made is not checked again
	limit    time.Duration // 0: askLimit
}

// quickIsFree reports whether the class quick has an idle session while class has none at all: opening
// another costs round trips, and a start of the login shell on the host.
func quickIsFree(c *conn.Conn, class conn.Class) bool {
	own, _ := c.Load(class)
	sessions, pending := c.Load(quick)
	return own == 0 && sessions > 0 && pending == 0
}

// ask carries out one request. If the connection breaks it is repeated once, on a
// new one, unless that could do harm.
func (h *host) ask(ctx context.Context, class conn.Class, script string, o askOptions) (shell.Answer, error) {
	if o.limit == 0 {
		o.limit = askLimit
	}
	waiting, cancel := forHost(ctx)
	defer cancel()
	for attempt := 0; ; attempt++ {
		c, err := h.connect(ctx, o.asks)
		if err != nil {
			return shell.Answer{}, unreachable(h.name, err)
		}
		on := class
		if o.mayShare && quickIsFree(c, class) {
			on = quick
		}
		a, err := c.Do(waiting, on, script, o.limit)
		if err == nil {
			h.mu.Lock()
			h.seen = time.Now()
			h.mu.Unlock()
			return a, nil
		}
		if gone := waitError(ctx, waiting, h.name); gone != nil {
			return a, gone
		}
		if errors.Is(err, shell.ErrTimeout) {
			if class == quick { // a connection over which no listing arrives is dead
				h.b.dialer.MarkUnresponsive(c.Transport)
				h.lose(c, err)
				c.Transport.Close()
			}
			return a, unreachable(h.name, err)
		}
		if attempt > 0 || o.once && mayHaveRun(err) {
			return a, unreachable(h.name, err)
		}
		// Wait for the loss to be noticed where it was the connection that broke. Without a session it
		// mostly was; a session also ends alone.
		_, isBroken := errors.AsType[*shell.BrokenError](err)
		notice := time.Second
		if isBroken {
			notice = 50 * time.Millisecond
		}
		select {
		case <-c.Done():
			h.lose(c, c.Err())
		case <-time.After(notice):
			if !isBroken {
				return a, unreachable(h.name, err)
			}
		}
	}
}

// mayHaveRun reports whether a request that failed with err may have reached the host. Without a
// BrokenError no session could be opened: nothing was sent.
func mayHaveRun(err error) bool {
	broken, ok := errors.AsType[*shell.BrokenError](err)
	return ok && broken.Sent
}
