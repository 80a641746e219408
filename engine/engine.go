package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/statedir"
)

// Engine supervises jobs. Create one with [New] and release it with [Engine.Close]. All its methods
// may be called concurrently.
type Engine struct {
	cfg      config
	root     *statedir.Root
	here     place
	backends []Backend // those of the caller, then the engine's own
	log      *slog.Logger

	// runCtx ends with Close. It bounds background work, never a call.
	runCtx context.Context
	end    context.CancelFunc
	wg     sync.WaitGroup // all work bounded by runCtx

	tracking tracking
	gauge    gauge
	sweeping chan struct{} // holds one value while a sweep runs

	mu       sync.Mutex // guards the fields below
	closed   bool
	execs    map[ID]*Execution
	attached map[int]bool // pids of attached executions
	swept    time.Time    // when this engine last considered a sweep
}

// New opens the state directory. It writes nothing and starts nothing.
func New(opts ...Option) (*Engine, error) {
	cfg := config{client: "engine", log: slog.New(slog.DiscardHandler), now: time.Now, sinceBoot: proc.SinceBoot}
	for _, o := range opts {
		if o != nil {
			o(&cfg)
		}
	}
	cfg.retention = cfg.retention.complete()
	if cfg.root == "" {
		root, err := DefaultStateDir()
		if err != nil {
			return nil, err
		}
		cfg.root = root
	}
	if cfg.logLimit == 0 {
		cfg.logLimit = defaultLogLimit
	}
	if cfg.logLimit > 0 && cfg.logLimit < minLogLimit {
		return nil, invalid("open", "a log limit under 2 MiB", "give at least 2 MiB, or a negative limit for none")
	}
	root, err := statedir.OpenRoot(cfg.root)
	if err != nil {
		return nil, rootError(err)
	}
	e := &Engine{
		sweeping: make(chan struct{}, 1),
		cfg:      cfg, root: root, here: thisPlace(), log: cfg.log,
		execs: map[ID]*Execution{}, attached: map[int]bool{},
	}
	for _, b := range cfg.backends {
		if b == nil {
			return nil, invalid("open", "a nil backend", "remove it: an engine without a backend can still list jobs")
		}
		for _, other := range e.backends {
			if other.Name() == b.Name() {
				return nil, invalid("open", fmt.Sprintf("two backends are named %q", b.Name()), "pass only one of them")
			}
		}
		e.backends = append(e.backends, b)
	}
	e.backends = append(e.backends, &virtualBackend{e})
	e.tracking = tracking{
		e: e, poke: make(chan struct{}, 1), turn: make(chan struct{}, 1), trackers: map[ID]*tracker{}, subs: map[*Subscription]struct{}{},
	}
	e.runCtx, e.end = context.WithCancel(context.Background())
	return e, nil
}

// DefaultStateDir returns the default state directory: $HOB_STATE_DIR, else $XDG_STATE_HOME/hob, else
// ~/.local/state/hob.
func DefaultStateDir() (string, error) {
	root, err := statedir.ResolveRoot()
	if err != nil {
		return "", rootError(err)
	}
	return root, nil
}

func rootError(err error) error {
	e := &Error{Op: "open", Err: fmt.Errorf("%w: %w", ErrStateDir, err)}
	if r, ok := errors.AsType[*statedir.RootError](err); ok {
		e.Hint = r.Hint
	}
	return e
}

// StateDir returns the engine's state directory.
func (e *Engine) StateDir() string { return e.root.Path() }

// Exclusive acquires the lock called name in this state directory, across programs, and holds it until
// release is called. Use it to check whether a job exists and start it otherwise.
func (e *Engine) Exclusive(ctx context.Context, name string) (release func(), err error) {
	lock, err := e.root.Exclusive(ctx, name)
	if err != nil {
		return nil, rootError(err)
	}
	return func() { lock.Close() }, nil
}

// Close releases all jobs. It ends only jobs that a backend keeps in this program. Executions that
// the program performs itself and has not completed are recorded as lost, as if the program had
// died. Close returns after the last goroutine of the engine and its backends has ended. Later
// calls that ask about jobs or act on them return ErrClosed.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	execs := make([]*Execution, 0, len(e.execs))
	for _, x := range e.execs {
		execs = append(execs, x)
	}
	e.mu.Unlock()
	e.end()
	var errs []error
	for _, x := range execs {
		errs = append(errs, x.abandon())
	}
	e.wg.Wait()
	for _, b := range e.backends {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

// spawn runs f in a goroutine that Close waits for. It reports false if the engine is closed.
func (e *Engine) spawn(f func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.spawnLocked(f)
}

func (e *Engine) spawnLocked(f func()) bool {
	if e.closed {
		return false
	}
	e.wg.Go(f)
	return true
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Capabilities returns the capabilities of the backend that serves host, or the zero value if none
// does.
func (e *Engine) Capabilities(host string) Capabilities {
	if b := e.serving(host); b != nil {
		return b.Capabilities()
	}
	return Capabilities{}
}

func (e *Engine) serving(host string) Backend {
	for _, b := range e.backends {
		if b.Serves(host) {
			return b
		}
	}
	return nil
}

func (e *Engine) backend(name string) Backend {
	for _, b := range e.backends {
		if b.Name() == name {
			return b
		}
	}
	return nil
}
