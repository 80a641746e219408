package engine

import (
	"context"
	"os"
	"time"
)

// Spec says what to run and how. It is plain data; the zero value of every
// field but the command is a sensible default.
type Spec struct {
	// Command is the argument vector. Exactly one of Command and Script is set.
	Command []string
	// Script is run by `sh -c`.
	Script string
	Name   string // empty: derived from the command
	Dir    string // empty: the caller's working directory
	Host   string // empty: this machine
	// Env is added to the environment. Values are never kept on disk, names are.
	Env map[string]string

	PTY   bool // a pseudo-terminal; else the job owns its log files
	Stdin bool // without PTY: a pipe that can be written to, else /dev/null
	// TTYStdin, without PTY: standard input is a terminal with echo off, so that
	// prompts are asked and seen while stdout and stderr go straight to the log.
	TTYStdin bool
	Split    bool // stdout.log and stderr.log instead of output.log; implies no PTY
	Size     Size // zero: 120x40

	Timeout  time.Duration // 0: none
	Grace    time.Duration // 0: five seconds
	LogLimit int64         // bytes; 0: the engine's default, negative: none
	Labels   map[string]string

	Backgrounded  bool   // nobody waits for it from the first moment on
	Notify        bool   // its end is to be told also while it is in the foreground
	CreatedBy     string // empty: the engine's client name
	RestartedFrom ID
}

// StartOption adds to a start what is not data: it is not saved with the job.
type StartOption func(*startOptions)

type startOptions struct {
	files map[int]*os.File
	env   []string
	extra map[string]string
	label map[string]string
	token string
	hold  *Hold
}

// WithStdin lends the job f as its standard input, as a shell's redirection
// would. The caller keeps and closes its own f.
func WithStdin(f *os.File) StartOption { return WithFile(0, f) }

// WithFile lends the job f as its descriptor n, as a shell's redirection would: 0,
// beyond 2, or of a job with a terminal 2, of which nothing is in its log then. The
// caller keeps and closes its own f. nil is none. A job on a host cannot be lent anything: ErrUnsupported.
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

// WithEnviron replaces the environment the job inherits (default: this
// process's).
func WithEnviron(env []string) StartOption { return func(o *startOptions) { o.env = env } }

// WithEnv adds to the environment, over [Spec].Env: how [Engine.Restart] is
// given again what is not kept.
func WithEnv(env map[string]string) StartOption { return func(o *startOptions) { o.extra = env } }

// WithLabels adds labels, over [Spec].Labels: how [Engine.Restart] marks the new
// job as somebody else's than the old one.
func WithLabels(labels map[string]string) StartOption {
	return func(o *startOptions) { o.label = labels }
}

// WithToken gives the idempotency key: a second start with the same token
// returns the job that the first one made.
func WithToken(token string) StartOption { return func(o *startOptions) { o.token = token } }

// RunOptions tunes [Engine.Run].
type RunOptions struct {
	// YieldAfter sends the job to the background by itself after that long.
	// 0: never.
	YieldAfter time.Duration
	// OnStart is called once with the id, before the result is there, so that a
	// UI can offer to background it.
	OnStart func(ID)
	// MaxOutput bounds Result.Output in bytes (0: 1 MiB); the tail is kept.
	MaxOutput int
	Start     []StartOption
}

// Result is what [Engine.Run] returns: either the job has ended and Output is
// its output, or Backgrounded is set, it runs on, and Tail is the end of what it
// printed so far.
type Result struct {
	Job
	Output       []byte // as it was written; of separate streams stdout, then stderr
	Truncated    bool   // Output is not all of it: the rest is in the log
	Backgrounded bool
	Tail         string // the last 2,000 characters
	// Cursor is how far the output reached, in bytes: from where
	// [Engine.PollAt] goes on.
	Cursor int64
}

// VirtualSpec describes an execution that a program performs itself.
type VirtualSpec struct {
	Name    string   // empty: derived from the command
	Command []string // shown as what runs; may be nil
	Dir     string
	// Size makes the output that of a terminal of this size: lines end in CR LF,
	// escape sequences mean something, and the execution can be attached to. Zero:
	// plain lines, unless there is a Resize hook; then 120x40.
	Size      Size
	Labels    map[string]string
	LogLimit  int64 // bytes; 0: the engine's default, negative: none
	Hooks     Hooks
	CreatedBy string // empty: the engine's client name
}

// ExternalSpec describes a process that the caller started and owns. What it
// shares with [VirtualSpec] means the same.
type ExternalSpec struct {
	PID       int // 0: none
	Hooks     Hooks
	Name      string
	Command   []string
	Dir       string
	Size      Size
	Labels    map[string]string
	LogLimit  int64
	CreatedBy string
}

func (s ExternalSpec) virtual() VirtualSpec {
	return VirtualSpec{
		Name: s.Name, Command: s.Command, Dir: s.Dir, Size: s.Size, Labels: s.Labels,
		LogLimit: s.LogLimit, Hooks: s.Hooks, CreatedBy: s.CreatedBy,
	}
}

// Hooks is how the engine reaches an execution that a program owns. Nil hooks
// make the matching call fail with ErrUnsupported, or ErrNoInput for Write. Hooks
// are called from goroutines of the engine, never two at a time for one execution;
// they may call the execution's methods. When Kill is called the context of a hook
// at work is done.
type Hooks struct {
	// Write takes input, and of an execution with a terminal that one's answers to
	// queries in the output. p is the hook's to keep.
	Write func(ctx context.Context, p []byte) error
	// Resize tells the size of the terminal. While somebody is attached the size
	// is theirs: the hook is told afterwards, and its error is only logged.
	Resize func(ctx context.Context, size Size) error
	// Kill ends the execution: the engine counts it as ended when the hook returns
	// nil, unless it has been completed by then. It is called once, again only
	// after an error. ctx is done when its caller no longer waits, at the latest two
	// seconds after the grace time; the job is stopping until the hook returns.
	Kill func(ctx context.Context) error
	// IsActive answers [Engine.IsActive] until the end; nil: it is active.
	IsActive func() bool
}
