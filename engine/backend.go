package engine

import (
	"context"
	"io"
	"os"
	"time"
)

// Backend runs jobs in one kind of place. Implementations are safe for concurrent use. Further
// abilities are optional interfaces of [Backend] and [Run].
type Backend interface {
	// Name is recorded with each job ("local", "ssh") and is used to find the backend again.
	Name() string
	// Capabilities are those of jobs on host, as far as they are known without a connection.
	Capabilities(host string) Capabilities
	// Serves reports whether this backend starts jobs for host ("" is this machine).
	Serves(host string) bool
	// Start starts a job whose directory exists and contains meta.json. It returns the job's state
	// then, so that its records need not be read; nil if that is not known. ctx bounds only the
	// start. A command that cannot be executed is not an error: the job is recorded as failed. An
	// error means that nothing was started.
	Start(ctx context.Context, l Launch) (*State, error)
	// Open returns the run of a job that was started earlier, by this process or another. It is
	// cheap and does not connect. It also works for finished jobs.
	Open(ctx context.Context, r Record) (Run, error)
	// Observe returns the current state of jobs without a recorded end, by the rules of this
	// backend. A job that was removed meanwhile is not in the result. A job that cannot be reached
	// keeps its last known status, with the link unreachable; the status is never guessed.
	Observe(ctx context.Context, rs []Record) (map[ID]State, error)
	// Close releases all runs. It ends only jobs that live in this program, and returns after the
	// last goroutine of the backend has ended.
	Close() error
}

// Placer is a [Backend] whose jobs run where the paths differ from those here.
type Placer interface {
	// HostDir returns the job's directory on its host.
	HostDir(r Record) string
}

// Measurer is a [Backend] with hosts that measure their jobs.
type Measurer interface {
	// Measure returns what the running jobs among rs use now, as far as that can be determined without a new
	// connection.
	Measure(ctx context.Context, rs []Record) map[ID]Used
}

// Used is what the processes of a job use.
type Used struct {
	CPU   time.Duration // of the processes that live, so far
	RSS   int64         // bytes
	Ports []int         // on which they listen
}

// QueueKeeper is a [Backend] with hosts that have queues as this machine has.
type QueueKeeper interface {
	// KeepQueues carries out r on host, and returns the queues there, or only that of r.Name.
	KeepQueues(ctx context.Context, host string, r QueueRequest) ([]Queue, error)
}

// PortFinder is a [Backend] with hosts that have ports of their own.
type PortFinder interface {
	// FreePort returns a port for a job of s.Host that asks for [AutoPort].
	FreePort(ctx context.Context, s Spec) (int, error)
}

// QueueRequest is what to do with queues. The zero value only lists them.
type QueueRequest struct {
	Name   string // of one queue
	Change QueueChange
	// Jobs are queued jobs of the host to start sooner, and Turn is how much sooner.
	Jobs []Record
	Turn Turn
}

// Finder is a [Backend] whose hosts store enough to recreate the records of their jobs.
type Finder interface {
	// Find calls found for each job on host except those with known tokens, and returns the error
	// of found. It returns ErrUnreachable if the host does not answer.
	Find(ctx context.Context, host string, known func(token string) bool, found func(Found) error) error
}

// Found is a job found on a host.
type Found struct {
	Request Request // Host is not set; ID is the name of its directory there
	HostDir string  // that directory
}

// Remover is a [Backend] that stores part of a job outside of its directory.
type Remover interface {
	// Remove deletes that part permanently. It is called for a cleared job whose directory is about
	// to be deleted from the trash. If it fails, it is called again later.
	Remove(ctx context.Context, r Record) error
}

// Capabilities describes differences between backends that callers adapt to. A field named like one of [Spec] means
// that jobs may set that.
type Capabilities struct {
	PTY         bool
	Resize      bool // the size of a terminal can be changed
	Stdin       bool
	TTYStdin    bool
	Split       bool
	LogLimit    bool
	Restart     bool
	StopCommand bool
	Health      bool
}

// Launch has everything that a backend needs to start a job.
type Launch struct {
	Record
	Spec Spec // resolved: absolute Dir, all defaults filled in
	// Env is the complete environment for a job on this machine, including HOB_JOB_ID. Variables
	// that describe a terminal (TERM, COLORTERM, LINES, COLUMNS …) are present only if Spec.Env
	// sets them; the backend adds the others.
	Env []string
	// Files are the caller's open files, by the number of the job's descriptor: 0 for stdin (if
	// absent, Spec decides), 2 for the stderr of a job with a terminal, and numbers above 2. The
	// caller keeps ownership.
	Files map[int]*os.File
	// InPlaceOf is the token of the lost job that this one replaces; empty: none. Other machines may be replacing it
	// at the same time. If one of them has started a job for it of which anything ran, Start fails.
	InPlaceOf string
	// Lock is the lock of the job's directory, which marks the job as alive. The engine has held it
	// since before the job became visible, and closes it when Start has returned.
	Lock io.Closer
}

// Record locates a job.
type Record struct {
	ID  ID
	Dir string // absolute path of the job directory
	// Job is the job as its records describe it.
	Job Job
	// Verify asks Observe to find out whether the process that holds the job still answers, which takes
	// seconds if it hangs.
	Verify bool
}

// Run is one execution. It behaves the same whether it was just started or found again. What its job does
// not support fails with ErrUnsupported.
type Run interface {
	// Signal sends one signal ("SIGINT") to the job's foreground process group and its own. If the
	// job ends because of it, by is recorded as ended_by, where the backend can detect that.
	Signal(ctx context.Context, name, by string) error
	// Stop ends the whole process tree and returns when it is gone. For a job that ended but left
	// survivors, it ends those. It returns ErrNotRunning if there is nothing to end.
	Stop(ctx context.Context, o StopOptions) (StopReport, error)
	// Write types p; CloseInput ends the input. Both return ErrNoInput for a job without input.
	Write(ctx context.Context, p []byte) error
	CloseInput(ctx context.Context) error
	// SendKeys sends keys (tmux names), encoded for the modes that the job has set, and Paste pastes p.
	SendKeys(ctx context.Context, keys []string) error
	Paste(ctx context.Context, p []byte) error
	Resize(ctx context.Context, s Size) error
	// Screen returns the job's screen, or its last one.
	Screen(ctx context.Context) (Screen, error)
	// OpenTerminal opens a live session with the terminal. (In this package, "attach" means something
	// else: the caller brings a process that it owns.)
	OpenTerminal(ctx context.Context, o TerminalOptions) (Terminal, error)
	// Background records that no client waits for the job any longer.
	Background(ctx context.Context) error
	// OpenOutput opens one of the job's streams for reading by absolute offset.
	OpenOutput(ctx context.Context, s Stream) (Output, error)
	// Watch calls notify with the current state, immediately and after every change, at most 30
	// times a second; ends are always delivered. The note is the notification that the job has
	// requested since the previous call, or zero. Watch returns nil after it has reported the end,
	// ctx's error when ctx is done, and any other error when it can no longer observe the job.
	// Calls of notify do not overlap.
	Watch(ctx context.Context, notify func(State, Note)) error
}

// Throttler is a [Run] whose Watch can be throttled to save work.
type Throttler interface {
	// Throttle sets whether Watch reports changes that are not urgent, such as output, only once a
	// second, as for a job that is not on screen. It may be called at any time, also before Watch,
	// and does not block.
	Throttle(on bool)
}

// InputCopier is a [Run] that copies a stream of input faster than a sequence of Writes would.
type InputCopier interface {
	// CopyInput implements [Handle.CopyInput].
	CopyInput(ctx context.Context, in io.Reader) error
}

// EntryReader is a [Run] whose observations of the entry may be late, or lack it. It looks the entry
// up on request and returns [EntryUnknown] if that is not possible.
type EntryReader interface {
	Entry(ctx context.Context) (Entry, error)
}

// NotifyReader is a [Run] whose holder runs the user's command for notifications elsewhere, and records there how it
// failed.
type NotifyReader interface {
	// NotifyFailure returns how the command last failed for the job; nil if it has not.
	NotifyFailure(ctx context.Context) (*NotifyFailure, error)
}
