package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// Engine supervises jobs. Make one with [New], let go of it with
// [Engine.Close]. All its methods may be called concurrently.
type Engine struct {
	cfg      config
	root     *jobdir.Root
	here     place
	backends []Backend // those of the caller, then the engine's own
	log      *slog.Logger

	// life ends with Close: it bounds what runs between calls, never a call.
	life context.Context
	end  context.CancelFunc
	wg   sync.WaitGroup // everything that life bounds

	tracking tracking
	gauge    gauge
	sweeping chan struct{} // holds one value while a sweep runs

	mu       sync.Mutex // guards what follows
	closed   bool
	execs    map[ID]*Execution
	attached map[int]bool // pids of executions
	outputs  outputCache
	swept    time.Time // when this engine last looked whether to sweep
}

// New opens the state root. It writes nothing and starts nothing.
func New(opts ...Option) (*Engine, error) {
	cfg := config{client: "engine", log: slog.New(slog.DiscardHandler), now: time.Now, sinceBoot: proc.SinceBoot}
	for _, o := range opts {
		if o != nil {
			o(&cfg)
		}
	}
	cfg.retention = cfg.retention.complete()
	if cfg.root == "" {
		root, err := StateRoot()
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
	root, err := jobdir.OpenRoot(cfg.root)
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
			return nil, invalid("open", "a nil backend", "leave it away: an engine without one still lists jobs")
		}
		for _, other := range e.backends {
			if other.Name() == b.Name() {
				return nil, invalid("open", fmt.Sprintf("two backends are named %q", b.Name()), "give one of them")
			}
		}
		e.backends = append(e.backends, b)
	}
	e.backends = append(e.backends, &virtualBackend{e})
	e.tracking = tracking{
		e: e, poke: make(chan struct{}, 1), turn: make(chan struct{}, 1), trackers: map[ID]*tracker{}, subs: map[*Subscription]struct{}{},
	}
	e.life, e.end = context.WithCancel(context.Background())
	return e, nil
}

// StateRoot is where jobs are kept unless told otherwise: $HOB_STATE_DIR, else
// $XDG_STATE_HOME/hob, else ~/.local/state/hob.
func StateRoot() (string, error) {
	root, err := jobdir.ResolveRoot()
	if err != nil {
		return "", rootError(err)
	}
	return root, nil
}

func rootError(err error) error {
	e := &Error{Op: "open", Err: fmt.Errorf("%w: %w", ErrStateRoot, err)}
	if r, ok := errors.AsType[*jobdir.RootError](err); ok {
		e.Hint = r.Hint
	}
	return e
}

// StateDir is the engine's state root.
func (e *Engine) StateDir() string { return e.root.Path() }

// Exclusive waits until no program holds the lock called name (a word) of this
// state root, and takes it until release: for those who look whether a job is
// there and start it if not.
func (e *Engine) Exclusive(ctx context.Context, name string) (release func(), err error) {
	lock, err := e.root.Exclusive(ctx, name)
	if err != nil {
		return nil, rootError(err)
	}
	return func() { lock.Close() }, nil
}

// Close lets go of all jobs. It ends none but those that a backend keeps in this
// program; executions that the program performs itself and has not completed are
// lost, as if it had died.
// It returns after the last goroutine of the engine and its backends has. From then
// on whatever asks about jobs or acts on them is answered with ErrClosed.
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
	e.outputs.close()
	for _, b := range e.backends {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

// goes runs f until it returns, in a goroutine that Close waits for. It reports
// false if the engine is closed.
func (e *Engine) goes(f func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.goesLocked(f)
}

func (e *Engine) goesLocked(f func()) bool {
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

// Backends names the backends, in order.
func (e *Engine) Backends() []string {
	names := make([]string, 0, len(e.cfg.backends))
	for _, b := range e.cfg.backends {
		names = append(names, b.Name())
	}
	return names
}

// Capabilities are those of the backend that serves host; the zero value if none
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
