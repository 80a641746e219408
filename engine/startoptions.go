package engine

import (
	"os"
	"time"

	"github.com/hobjobs/hob/engine/joblog"
)

// StartOption adds to a start what is not plain data. It is not stored with the job.
type StartOption func(*startOptions)

type startOptions struct {
	files map[int]*os.File
	env   []string
	token string
	lost  string // see inPlaceOf
	hold  *joblog.Hold
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

// withToken sets an idempotency key: a second start with the same token returns the job that the
// first one created.
func withToken(token string) StartOption { return func(o *startOptions) { o.token = token } }

// inPlaceOf starts the job in the place of a lost one. Other machines may be doing the same: the backend starts one.
func inPlaceOf(lost Job) StartOption { return func(o *startOptions) { o.lost = lost.Token } }

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
