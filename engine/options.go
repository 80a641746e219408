package engine

import (
	"cmp"
	"log/slog"
	"time"
)

// Option configures an [Engine]. A nil option or an empty value (an empty name, a nil logger or
// clock) leaves the default; a nil backend is an error.
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

// WithLogLimit sets the log limit of jobs whose [Spec] has none (default 1 GiB, negative: no
// limit).
func WithLogLimit(bytes int64) Option { return func(c *config) { c.logLimit = bytes } }

// WithQueueSlots sets how many jobs of each queue may run at once (default 1). A queue gets a new value
// when a job is started in it; [Engine.SetQueue] overrides it until the value changes.
func WithQueueSlots(slots map[string]int) Option { return func(c *config) { c.slots = slots } }

// WithUsage makes subscriptions report the CPU usage, memory and ports of running jobs on this
// machine, measured at this interval. 5 seconds is a good value; idle jobs are measured less often.
// Without it only explicit calls measure, see [Engine.MeasureAll].
func WithUsage(every time.Duration) Option { return func(c *config) { c.usage = every } }

// WithClock replaces time.Now for all recorded times.
func WithClock(now func() time.Time) Option {
	return func(c *config) {
		if now != nil {
			c.now, c.sinceBoot = now, nil
		}
	}
}

// Defaults and limits.
const (
	defaultLogLimit = 1 << 30
	minLogLimit     = 2 << 20
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
