// Package local runs jobs on this machine so that they outlive the program that
// starts them. Each job has a holder: a process of its own that holds the
// terminal, is the job's parent, writes its records and answers on a socket. The
// holder is the program hob-holder, if that lies beside this one and understands it,
// else this same program in a hidden mode, so a program that uses the
// package begins with
//
//	func main() {
//		if local.IsHolder() {
//			os.Exit(local.RunHolder())
//		}
//		…
//	}
//
// or names another program that does ([WithHolderCommand]), or keeps its jobs in
// itself ([InProcess]), where they end with it.
//
// # What is promised
//
// A job started here keeps running, keeps its whole output up to the cap, its
// terminal and its exit status, if every other process of hob is killed at any
// instant. It does not survive a reboot, the death of its holder (which the
// kernel answers by hanging its terminal up; the job is then lost, never shown as
// an exit), or a system that kills a user's processes at logout.
//
// # Who does what
//
// The [Backend] and its runs are clients: they read the job directory and ask the
// holder. Only the holder signals the job while it lives.
package local

import (
	"context"
	"os"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
)

// Backend runs jobs on this machine. It is safe for concurrent use.
type Backend struct {
	command   []string // how to run a holder; nil: this program
	inProcess bool
	notify    string
	shows     bool

	kids  children
	inner inner

	mu     sync.Mutex
	closed bool
}

var (
	_ engine.Backend        = (*Backend)(nil)
	_ engine.Run            = (*Run)(nil)
	_ engine.Glancer        = (*Run)(nil)
	_ engine.Backgrounder   = (*Run)(nil)
	_ engine.StartObserver  = (*Run)(nil)
	_ engine.Resizer        = (*Run)(nil)
	_ engine.KeySender      = (*Run)(nil)
	_ engine.ScreenReader   = (*Run)(nil)
	_ engine.TerminalOpener = (*Run)(nil)
)

// Option configures a [Backend].
type Option func(*Backend)

// WithHolderCommand names the program that holders are made of, for a program
// that does not begin with [IsHolder]: "hob", "holder". It is looked up in PATH.
func WithHolderCommand(command ...string) Option {
	return func(b *Backend) { b.command = command }
}

// InProcess keeps the jobs in this program instead of in holders of their own: they
// end with it, at the latest when the backend is closed, and what leaves their session
// is only found by its environment. No signal handler is installed and no other child
// of the program is touched.
func InProcess() Option { return func(b *Backend) { b.inProcess = true } }

// WithNotify sets a shell command that the holder of a backgrounded job runs at
// its end when no client is watching. It is told HOB_NAME, HOB_RESULT,
// HOB_JOB_ID, HOB_STATUS and HOB_EXIT_CODE, and the name and the status as $1
// and $2.
func WithNotify(command string) Option { return func(b *Backend) { b.notify = command } }

// ForUser says that the program shows a person what becomes of the jobs, so that
// holders need not tell of their ends (see [WithNotify]).
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

// Serves implements [engine.Backend]: jobs of this machine, on a system where
// there can be holders.
func (b *Backend) Serves(host string) bool { return host == "" && hasHolders }

// Open implements [engine.Backend].
func (b *Backend) Open(_ context.Context, r engine.Record) (engine.Run, error) { return b.run(r), nil }

func (b *Backend) run(r engine.Record) *Run {
	return &Run{Run: holder.NewRun(r.Dir, r.ID, r.Job.Request, b.shows)}
}

// Close implements [engine.Backend].
func (b *Backend) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.kids.reap()
	return b.inner.close()
}

// runtimeDir is where sockets belong on this system, if it says so.
func runtimeDir() string { return os.Getenv("XDG_RUNTIME_DIR") }
