package engine

import (
	"context"
	"os"
	"time"
)

// Spec describes what to run and how. It is plain data; the zero value of every field but the
// command is a reasonable default.
type Spec struct {
	// Command is the argument vector. Exactly one of Command and Script is set.
	Command []string
	// Script is run by `sh -c`.
	Script string
	Name   string // empty: derived from the command
	Dir    string // empty: the caller's working directory
	Host   string // empty: this machine
	// Env is added to the environment. Values are never stored on disk, names are.
	Env map[string]string

	PTY   bool // a pseudo-terminal; otherwise the output goes directly to log files
	Stdin bool // without PTY: a pipe that can be written to; otherwise /dev/null
	// TTYStdin, without PTY: stdin is a terminal, so that programs prompt for input, while stdout and
	// stderr go directly to the log. The log does not have what is typed.
	TTYStdin bool
	Split    bool // stdout.log and stderr.log instead of output.log; cannot be combined with PTY
	Size     Size // zero: 120x40

	Timeout  time.Duration // 0: none
	Grace    time.Duration // 0: five seconds
	LogLimit int64         // bytes; 0: the engine's default, negative: none
	Labels   map[string]string

	Backgrounded  bool   // no client waits for it, from the start
	Notify        bool   // notify of its end even while it is in the foreground
	CreatedBy     string // empty: the engine's client name
	RestartedFrom ID

	// Restart starts the command again when it ends, as the same job: "always", "on-failure", or
	// "on-failure:N" for N times at most. Empty: never. Timeout is that of all runs together.
	Restart string

	// Queue is the queue of this machine whose slot the job needs to start; empty: none. See
	// [Engine.Queues].
	Queue string
	// After are jobs that must have exited with 0 before this one starts; if one ends in another way,
	// this one fails. AfterAny are jobs that must have ended in any way. A job that has ended when this
	// one is requested counts too, also if it was cleared. The others must be on the same Host, which
	// is this machine or a cluster.
	After, AfterAny []ID

	// SchedulerArgs are options for the scheduler of a cluster, for a job on Host "slurm:LOGIN" those of
	// sbatch. They are stored, and a restart uses them again.
	SchedulerArgs []string

	// Port sets the variable PORT, AutoPort to a free port. 0: it is inherited, if it is set. Unlike
	// the values of Env it is stored, and a restart sets it again.
	Port int
}

// MinLogLimit is the least [Spec].LogLimit, in bytes.
const MinLogLimit = 2 << 20

// RestartPolicies names the values of [Spec].Restart in messages.
const RestartPolicies = "always, on-failure or on-failure:N"

// What is said of a log limit that is too small.
const (
	logLimitProblem = "a log limit under 2 MiB"
	logLimitHint    = "give at least 2 MiB, or a negative limit for none"
)

func tooSmallLog(limit int64) bool { return limit > 0 && limit < MinLogLimit }

// StartOption adds to a start what is not plain data. It is not stored with the job.
type StartOption func(*startOptions)

type startOptions struct {
	files map[int]*os.File
	env   []string
	extra map[string]string
	label map[string]string
	token string
	hold  *Hold
}

// WithFile passes f to the job as its descriptor n, like a shell redirection: 0, a number above 2,
// or 2 for a job with a terminal, whose log then has none of its stderr. The caller keeps ownership
// of f and closes it. nil passes nothing. For a job on a host the start fails with ErrUnsupported.
func WithFile(n int, f *os.File) StartOption {
	return func(o *startOptions) {
		if f == nil {
			return
		}
		if o.files == nil {
			o.files = map[int]*os.File{}
		}
		o.files[n] = f
	}
}

// WithEnviron replaces the environment that the job inherits (default: that of this process).
func WithEnviron(env []string) StartOption { return func(o *startOptions) { o.env = env } }

// WithEnv adds to the environment, overriding [Spec].Env. [Handle.Restart] needs it for values that
// are not stored.
func WithEnv(env map[string]string) StartOption { return func(o *startOptions) { o.extra = env } }

// WithLabels adds labels, overriding [Spec].Labels, for example so that [Handle.Restart] marks the
// new job as belonging to a different client.
func WithLabels(labels map[string]string) StartOption {
	return func(o *startOptions) { o.label = labels }
}

// WithToken sets an idempotency key: a second start with the same token returns the job that the
// first one created.
func WithToken(token string) StartOption { return func(o *startOptions) { o.token = token } }

// RunOptions are options of [Engine.Run].
type RunOptions struct {
	// YieldAfter sends the job to the background after that long. 0: never.
	YieldAfter time.Duration
	// OnStart is called once with the id, as soon as the job has started, so that a UI can offer to
	// background it.
	OnStart func(ID)
	// MaxOutput bounds Result.Output in bytes (default: 1 MiB); the tail is kept.
	MaxOutput int
	Start     []StartOption
}

// Result is the result of [Engine.Run]. Either the job has ended and Output is its output, or
// Backgrounded is set, the job is still running, and Tail is the end of its output so far.
type Result struct {
	Job
	Output       []byte // as written; for separate streams stdout, then stderr
	Truncated    bool   // Output is incomplete: the rest is in the log
	Backgrounded bool
	Tail         string // the last 2,000 characters
	// Cursor is the size of the output, in bytes: [Handle.Poll] continues from it.
	Cursor int64
}

// VirtualSpec describes an execution that a program performs itself.
type VirtualSpec struct {
	PID     int      // the process that performs it, which the caller started and owns; 0: none
	Name    string   // empty: derived from the command
	Command []string // shown as the command; may be nil
	Dir     string
	// Size makes the output that of a terminal of this size: lines end in CR LF, escape sequences
	// are interpreted, and clients can attach. Zero: plain lines, unless there is a Resize hook;
	// then 120x40.
	Size      Size
	Labels    map[string]string
	LogLimit  int64 // bytes; 0: the engine's default, negative: none
	Hooks     Hooks
	CreatedBy string // empty: the engine's client name
}

// Hooks are the engine's access to an execution that a program owns. If a hook is nil, the
// corresponding call fails with ErrUnsupported, or ErrNoInput for Write. The engine calls hooks
// from its own goroutines, one at a time for each execution; they may call the execution's methods.
// When Kill is due, the context of a running hook is canceled.
type Hooks struct {
	// Write receives input and, for an execution with a terminal, the terminal's replies to queries
	// in the output. The hook may keep p.
	Write func(ctx context.Context, p []byte) error
	// Resize reports the terminal's size. While a client is attached, the client sets the size: the
	// hook is notified afterward, and its error is only logged.
	Resize func(ctx context.Context, size Size) error
	// Kill ends the execution. When it returns nil, the engine records the execution as ended,
	// unless it was completed by then. It is called once, and again only after an error. ctx is
	// done when the caller no longer waits, at the latest two seconds after the grace period; the
	// job is stopping until the hook returns.
	Kill func(ctx context.Context) error
}
