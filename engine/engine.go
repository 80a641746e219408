// Package engine runs commands as jobs, which survive the program, and keeps their output and their end.
// Most programs need five calls:
//
//	eng, err := engine.New(engine.WithClient("myprogram"), engine.WithBackend(local.New()))
//	job, err := eng.Start(ctx, engine.Spec{Script: "make test"})
//	events, err := eng.Subscribe(engine.Filter{IDs: []engine.ID{job.ID}}).Next(ctx)
//	exit, err := eng.Handle(job.ID).Wait(ctx)
//	log, err := eng.Handle(job.ID).Log(ctx, engine.StreamOutput)
//
// A program that uses package local must begin main with the two lines in that package's documentation.
// examples/headless is a whole program.
//
// # What there is
//
// An [Engine] starts, lists and removes jobs. A [Job] has the facts of one job at one moment. A [Handle]
// acts on one job: it stops the job, types into it, waits for it and opens its [joblog.Log] and its [Terminal]. An
// [Execution] is work of the program itself that the engine keeps as a job, see [Engine.NewExecution]. A [Backend]
// runs jobs in one kind of place: package local on this machine, package ssh on hosts. The engine itself needs no
// terminal, network or shell.
//
// # Source of truth
//
// A job is a directory (see docs/job-directory.md for its files). A change is recorded there before it is reported
// to subscribers, and every client, in this process or another, reads the same directories. Closing an
// engine releases its jobs; it ends only jobs that live in this program.
//
// # Ownership and concurrency
//
// All methods of [Engine] may be called from any goroutine. The caller may keep every returned
// value. A context bounds the call, never the job.
//
// # Delivery
//
// A [Subscription] is pull-based. Its first batch is a snapshot of all jobs that match its filter.
// After that, every event arrives exactly once and in order for each job. Events of one job that
// supersede each other (output grew, title changed) are merged until they are read; ends are never
// merged and wake the reader immediately.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
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
	cfg := config{
		client:    "engine",
		log:       slog.New(slog.DiscardHandler),
		now:       time.Now,
		sinceBoot: proc.SinceBoot,
	}
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
	if problem, hint := checkLogLimit(cfg.logLimit); problem != "" {
		return nil, invalid("open", problem, hint)
	}
	root, err := statedir.OpenRoot(cfg.root)
	if err != nil {
		return nil, rootError(err)
	}
	e := &Engine{
		sweeping: make(chan struct{}, 1),
		cfg:      cfg,
		root:     root,
		here:     thisPlace(),
		log:      cfg.log,
		execs:    map[ID]*Execution{},
		attached: map[int]bool{},
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
		e:             e,
		poke:          make(chan struct{}, 1),
		turn:          make(chan struct{}, 1),
		measureOthers: make(chan struct{}, 1),
		trackers:      map[ID]*tracker{},
		subs:          map[*Subscription]struct{}{},
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

// ofContext reports whether err is that of a context that has ended.
func ofContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// rootError returns the error of an operation on the state directory for callers. That the caller gave
// up is not a fault of the directory.
func rootError(err error) error {
	if ofContext(err) {
		return err
	}
	if _, ok := errors.AsType[*jobdir.HeldError](err); ok {
		return &Error{Op: "wait for another program", Err: err, Hint: hintFor(err, Job{})}
	}
	e := &Error{Op: "open", Err: fmt.Errorf("%w: %w", ErrStateDir, err)}
	if r, ok := errors.AsType[*statedir.RootError](err); ok {
		e.Hint = r.Hint
	}
	return e
}

// StateDir returns the engine's state directory.
func (e *Engine) StateDir() string { return e.root.Path() }

// WithLockNotice returns a context for calls of the engine. One that has to wait for a second or more
// for a lock, because another program holds it, calls notice with what it waits for.
func WithLockNotice(ctx context.Context, notice func(text string)) context.Context {
	return jobdir.WithLockNotice(ctx, notice)
}

// Exclusive acquires the lock called name in this state directory, across programs, and holds it until
// release is called. Use it to check whether a job exists and start it otherwise. It returns an error if
// another program holds the lock for a minute.
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

// Option configures an [Engine]. A nil option or an empty value (an empty name, a nil logger)
// leaves the default; a nil backend is an error.
type Option func(*config)

type config struct {
	root      string
	client    string
	backends  []Backend
	log       *slog.Logger
	retention Retention
	now       func() time.Time
	sinceBoot func() time.Duration // nil if now is not the system's clock
	logLimit  int64
	usage     time.Duration
	slots     map[string]int
	renew     func(Job) (*Renewal, error)
}

// Retention limits how long finished jobs are kept. A zero field means the default, a negative one
// means no limit.
type Retention struct {
	Age      time.Duration // since the end; default 7 days
	Count    int           // default 500
	Bytes    int64         // total size of the logs; default 10 GiB
	TrashAge time.Duration // how long a clear can be undone; default and minimum: one hour
}

// WithStateDir sets the state directory (default: [DefaultStateDir]).
func WithStateDir(dir string) Option { return func(c *config) { c.root = dir } }

// WithClient sets the name of the program, which jobs record as created_by and ended_by. The
// default is "engine".
func WithClient(name string) Option {
	return func(c *config) { c.client = cmp.Or(name, c.client) }
}

// WithBackend adds a backend. The first backend that serves a host is used for it. The engine
// closes it.
func WithBackend(b Backend) Option {
	return func(c *config) { c.backends = append(c.backends, b) }
}

// WithLogger sets the logger for conditions that cannot be returned to a caller. By default nothing
// is logged; job output and environment values are never logged.
func WithLogger(l *slog.Logger) Option {
	return func(c *config) { c.log = cmp.Or(l, c.log) }
}

// WithRetention sets how long finished jobs are kept.
func WithRetention(r Retention) Option { return func(c *config) { c.retention = r } }

// Limits apply to jobs whose request has no limits of its own.
type Limits struct {
	// Log is how many bytes of the logs of a job are kept. 0: 1 GiB, negative: all.
	Log int64
	// QueueSlots is how many jobs of each queue may run at once (default 1). A queue gets a new value when a job
	// is started in it; [Engine.SetQueue] overrides it until the value changes.
	QueueSlots map[string]int
}

// WithLimits sets the limits of jobs.
func WithLimits(l Limits) Option {
	return func(c *config) { c.logLimit, c.slots = l.Log, l.QueueSlots }
}

// WithRenewal makes restarts of jobs that a file describes use the file as it is now. renew returns what a
// restart of a job starts in the place of its stored request, or nil for a job that no file describes. If it
// returns an error, the job is not restarted and not stopped. It is called from any goroutine.
func WithRenewal(renew func(Job) (*Renewal, error)) Option {
	return func(c *config) { c.renew = renew }
}

// WithUsage makes subscriptions report the CPU usage, memory and ports of running jobs on this
// machine, measured at this interval. 5 seconds is a good value; idle jobs are measured less often.
// [Subscription.Measure] limits it to some jobs.
// Without it only explicit calls measure, see [Engine.MeasureAll].
func WithUsage(every time.Duration) Option { return func(c *config) { c.usage = every } }

// Defaults and limits.
const (
	defaultLogLimit = 1 << 30
	defaultGrace    = 5 * time.Second
	maxCells        = 4096 // columns or rows
)

// defaultSize is that of a terminal.
var defaultSize = Size{Cols: 120, Rows: 40}

func (r Retention) complete() Retention {
	if r.Age == 0 {
		r.Age = 7 * 24 * time.Hour
	}
	if r.Count == 0 {
		r.Count = 500
	}
	if r.Bytes == 0 {
		r.Bytes = 10 << 30
	}
	if r.TrashAge >= 0 {
		r.TrashAge = max(r.TrashAge, time.Hour)
	}
	return r
}
