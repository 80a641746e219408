// Package local runs jobs on this machine so that they outlive the program that starts them. Each
// job has a holder: a separate process that owns the job's terminal, is its parent, writes its
// records and listens on a socket. The holder is the program hob-holder if it is in this program's
// directory and of the same build, otherwise this program in a hidden mode. A program that uses the
// package therefore begins with
//
//	func main() {
//		if local.IsHolder() {
//			os.Exit(local.RunHolder())
//		}
//		…
//	}
//
// or names another program that does ([WithHolderCommand]), or keeps its jobs in its own process
// ([InProcess]), where they end with it.
//
// # Guarantees
//
// A job started here keeps running, and keeps its whole output up to the log limit, its terminal
// and its exit status, even if every other process of hob is killed at any moment. It does not
// survive a reboot, the death of its holder (the kernel then hangs up its terminal; the job is
// lost, never shown as exited), or a system that kills a user's processes at logout.
//
// # Roles
//
// The [Backend] and its runs are clients: they read the job directory and send requests to the
// holder. While the holder lives, only the holder signals the job.
package local

import (
	"context"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/localclient"
	"github.com/hobjobs/hob/internal/localjob"
)

// Backend runs jobs on this machine. It is safe for concurrent use.
type Backend struct {
	inProcess bool
	notify    string   // see WithNotify
	events    []string // see WithNotify
	shows     bool

	launcher localclient.Launcher
	inner    localjob.InProcess

	mu     sync.Mutex
	closed bool
}

var (
	_ engine.Backend   = (*Backend)(nil)
	_ engine.Run       = (*localclient.Run)(nil)
	_ engine.Throttler = (*localclient.Run)(nil)
)

// IsHolder reports whether this process was started to be the holder of a job. Programs check this
// before anything else.
func IsHolder() bool { return localclient.IsHolder() }

// RunHolder runs the holder of one job: it receives its configuration on stdin, starts the job and
// keeps it until none of its processes is left. It returns the exit code for the process.
func RunHolder() int { return localjob.Hold() }

// Option configures a [Backend].
type Option func(*Backend)

// WithHolderCommand sets the command that starts holders, for a program that does not begin with
// [IsHolder]: "hob", "holder". It is looked up in PATH.
func WithHolderCommand(command ...string) Option {
	return func(b *Backend) { b.launcher.Command = command }
}

// InProcess keeps the jobs in this program instead of in separate holders. They end when the
// backend is closed, at the latest. Processes that leave their session are found only by their
// environment. No signal handler is installed and no other child of the program is touched.
func InProcess() Option { return func(b *Backend) { b.inProcess = true } }

// WithNotify sets a shell command that the holder of a backgrounded job runs at its end, and when the
// job waits for input or its program reports that it is blocked, if no client shows the job. Its environment has
// HOB_NAME, HOB_RESULT, HOB_JOB_ID, HOB_STATUS, HOB_EXIT_CODE, HOB_EVENT and HOB_MESSAGE; its arguments $1 and $2 are the
// name and the status, which is "waiting" for a job that has not ended.
//
// Its stdin has one JSON object, with event and message. It is killed after 30 seconds; [engine.Job].NotifyFailed has how it failed last.
//
// events selects what it is run for; without any, what the settings of hob have by default.
func WithNotify(command string, events ...string) Option {
	return func(b *Backend) { b.notify, b.events = command, events }
}

// ForUser declares that the program shows jobs to the user, so that their holders need not send
// notifications (see [WithNotify]).
func ForUser() Option { return func(b *Backend) { b.shows = true } }

// New returns a backend. It starts nothing.
func New(opts ...Option) *Backend {
	b := &Backend{}
	for _, o := range opts {
		o(b)
	}
	return b
}

// Name implements [engine.Backend].
func (b *Backend) Name() string { return "local" }

// Serves implements [engine.Backend]: jobs of this machine, on a system that supports holders.
func (b *Backend) Serves(host string) bool { return host == "" && localclient.HasHolders }

// Open implements [engine.Backend].
func (b *Backend) Open(_ context.Context, r engine.Record) (engine.Run, error) {
	return localclient.NewRun(r.Dir, r.Job.Request, b.shows), nil
}

// Observe implements [engine.Backend].
func (b *Backend) Observe(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	b.launcher.Reap()
	dirs, verify := make([]string, len(rs)), false
	for i, r := range rs {
		dirs[i] = r.Dir
		verify = verify || r.Verify
	}
	states, err := localclient.LookAll(ctx, dirs, verify)
	if err != nil {
		return nil, err
	}
	seen := make(map[engine.ID]engine.State, len(rs))
	for _, r := range rs {
		if s := states[r.Dir]; s != nil { // otherwise it was removed
			seen[r.ID] = *s
		}
	}
	return seen, nil
}

// Close implements [engine.Backend].
func (b *Backend) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.launcher.Reap()
	return b.inner.Close()
}
