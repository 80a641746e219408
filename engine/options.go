package engine

import (
	"cmp"
	"log/slog"
	"time"
)

// Option configures an [Engine]. One that is nil, or is given nothing (an empty
// name, a nil logger or clock), leaves the default; a nil backend is a mistake.
type Option func(*config)

type config struct {
	root      string
	client    string
	backends  []Backend
	log       *slog.Logger
	retention Retention
	now       func() time.Time
	sinceBoot func() time.Duration // nil: now is not the system's clock
	logLimit  int64
	usage     time.Duration
}

// Retention says how long finished jobs are kept. A zero field means the
// default, a negative one means without limit.
type Retention struct {
	Age      time.Duration // since the end; default 7 days
	Count    int           // default 500
	Bytes    int64         // of all their logs together; default 10 GiB
	TrashAge time.Duration // how long a clear can be undone; default, and least, an hour
}

// WithStateDir sets the state root; without it [StateRoot] decides.
func WithStateDir(dir string) Option { return func(c *config) { c.root = dir } }

// WithClient names the program: jobs carry it as created_by, ends as ended_by.
// The default is "engine".
func WithClient(name string) Option {
	return func(c *config) { c.client = cmp.Or(name, c.client) }
}

// WithBackend adds a place to run jobs. For a host the first one that serves it
// is taken. The engine closes it.
func WithBackend(b Backend) Option {
	return func(c *config) { c.backends = append(c.backends, b) }
}

// WithLogger sets where the engine reports what no caller can be told. Nothing
// is logged by default; job output and environment values never are.
func WithLogger(l *slog.Logger) Option {
	return func(c *config) { c.log = cmp.Or(l, c.log) }
}

// WithRetention sets how long finished jobs are kept.
func WithRetention(r Retention) Option { return func(c *config) { c.retention = r } }

// WithLogLimit sets the cap of the logs of jobs whose [Spec] has none (default 1
// GiB, negative: no cap).
func WithLogLimit(bytes int64) Option { return func(c *config) { c.logLimit = bytes } }

// WithUsage has subscriptions told of the processor time, memory and ports of
// running jobs on this machine, looked at that often (5 seconds is a good
// measure; jobs that do nothing are looked at more rarely). Without it nothing is
// measured unasked, see [Engine.Measure].
func WithUsage(every time.Duration) Option { return func(c *config) { c.usage = every } }

// WithClock replaces time.Now for everything that is recorded.
func WithClock(now func() time.Time) Option {
	return func(c *config) {
		if now != nil {
			c.now, c.sinceBoot = now, nil
		}
	}
}

// What holds unless it was said otherwise.
const (
	defaultLogLimit = 1 << 30
	minLogLimit     = 2 << 20
	defaultGrace    = 5 * time.Second
	defaultCols     = 120
	defaultRows     = 40
	maxCells        = 4096 // columns or rows
)

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
