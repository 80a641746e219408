package ssh

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
)

const (
	askLimit  = 15 * time.Second // for the answer to a request
	lookLimit = 45 * time.Second // for a look that no caller waits for, connecting included
	// promptly is how long a look waits for a host that is connected.
	promptly = 250 * time.Millisecond
	maxLooks = 3 // at once, whose callers have stopped waiting
)

// host is one host: its connection, if any, and the subscribers to jobs there.
type host struct {
	b     *Backend
	name  string
	looks atomic.Int32 // under way on behalf of [Backend.Observe]

	mu       sync.Mutex // guards what follows
	conn     *conn      // nil: not connected
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
	polling  bool
	poke     chan struct{}
	swept    time.Time // when it was last swept
	queue    queue     // of the cluster whose login node it is
}

// conn is one connection and its sessions.
type conn struct {
	shell.Transport
	host    recipe.Host // known once the hello request is answered
	cluster bool        // sessions know requests about jobs on a cluster
	safe    sync.Map    // directories for jobs, other than that of host, that only the user controls

	// Each lane opens one session at a time. The first session of all is opened before any
	// other: a server that allows only one then refuses the others, which share it.
	opening [lanes]sync.Mutex
	first   sync.Mutex // locked after opening
	mu      sync.Mutex // guards open and closed
	open    [lanes][]*pooled
	closed  bool

	nodesMu sync.Mutex // guards nodes
	nodes   []*nodeSession
}

// newConn returns a connection to the host of that name. Jobs of a cluster may be found on this machine
// too, the empty name.
func newConn(tr shell.Transport, host string) *conn {
	_, onCluster := slurm.Login(host)
	return &conn{Transport: tr, cluster: onCluster || host == ""}
}

func newHost(b *Backend, name string) *host {
	return &host{b: b, name: name, watchers: map[*watcher]struct{}{}, logs: map[engine.ID]logFacts{}, known: map[engine.ID]*recipe.Entry{}, poke: make(chan struct{}, 1)}
}

// downLocked reports whether the last attempt to reach the host failed, or the connection was lost.
func (h *host) downLocked() bool { return h.conn == nil && h.err != nil }

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
	c.closeSessions()
	c.closeNodes()
}

func (h *host) close() {
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c != nil {
		c.Transport.Close()
	}
}

// kick makes the poller recompute when to look next.
func (h *host) kick() {
	select {
	case h.poke <- struct{}{}:
	default:
	}
}

// prepare opens a session of lane l in the background, on a host that is connected: opening one
// takes several round trips, and a request is expected soon.
func (h *host) prepare(l lane) {
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c != nil {
		h.b.async(func() { c.prepare(h.b.life, l) })
	}
}

// own opens a session of lane l for the exclusive use of the caller, which must close it.
func (h *host) own(ctx context.Context, l lane) (*shell.Session, error) {
	c, err := h.connect(ctx, true)
	if err != nil {
		return nil, err
	}
	return c.own(ctx, l)
}

type askOptions struct {
	asks     bool          // the user may be prompted
	mayShare bool          // an idle session of the quick lane will do if the lane has none
	files    bool          // it needs only the files of a job, not its processes
	once     bool          // not to be repeated if it is unknown whether it was carried out
	limit    time.Duration // 0: askLimit
}

// ask carries out one request. If the connection breaks it is repeated once, on a
// new one, unless that could do harm.
func (h *host) ask(ctx context.Context, l lane, script string, o askOptions) (shell.Answer, error) {
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
		on := l
		if o.mayShare && c.canShare(quick, l) {
			on = quick
		}
		a, err := c.do(waiting, on, script, o.limit)
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
			if l == quick { // a connection over which no listing arrives is dead
				h.b.dialer.Distrust(c.Transport)
				h.lose(c, err)
				c.Transport.Close()
			}
			return a, unreachable(h.name, err)
		}
		// Without a BrokenError no session could be opened: nothing was sent.
		broken, isBroken := errors.AsType[*shell.BrokenError](err)
		mayHaveRun := isBroken && broken.Sent
		if attempt > 0 || o.once && mayHaveRun {
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
