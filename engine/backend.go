package engine

import (
	"context"
	"io"
	"os"
)

// Backend runs jobs in one kind of place. Implementations are safe for
// concurrent use. More abilities are optional interfaces of the [Run]s.
type Backend interface {
	// Name is recorded with each job ("local", "ssh") and finds the backend
	// again.
	Name() string
	Capabilities() Capabilities
	// Serves reports whether jobs for host ("" is this machine) are started
	// here.
	Serves(host string) bool
	// Start starts a job whose directory exists with its meta.json in it. ctx
	// bounds starting only. A command that cannot be executed is no error: it is
	// a job that failed, recorded as such. An error means nothing was started.
	Start(ctx context.Context, l Launch) (Run, error)
	// Open finds again the run of a job that was started earlier, by this
	// process or another. It is cheap: it does not connect. It works for
	// finished jobs too.
	Open(ctx context.Context, r Record) (Run, error)
	// Observe returns how jobs without a recorded end stand now, by this backend's
	// rule of life; one that was removed meanwhile is not in the result. One that cannot
	// be reached keeps its last known status with a link of unreachable; it is never
	// guessed.
	Observe(ctx context.Context, rs []Record) (map[ID]State, error)
	// Close lets go of all runs; it ends none but those that live in this program.
	// It returns after the last goroutine of the backend has.
	Close() error
}

// Placer is a [Backend] whose jobs run where paths are others than here.
type Placer interface {
	// HostDir is the job's directory on its host.
	HostDir(r Record) string
}

// Finder is a [Backend] whose hosts keep what the records of their jobs are made of.
type Finder interface {
	// Find calls found for each job that host keeps, but for those with known tokens,
	// and returns its error. The error is ErrUnreachable for a host that cannot be asked.
	Find(ctx context.Context, host string, known func(token string) bool, found func(Found) error) error
}

// Found is a job that a host keeps.
type Found struct {
	Request Request // Host is not set; ID is the name of the directory there
	HostDir string  // that directory
}

// Remover is a [Backend] that keeps something of a job outside of its directory.
type Remover interface {
	// Remove deletes that for good; the job was cleared and its directory in the
	// trash is about to be deleted. After an error it is asked again later.
	Remove(ctx context.Context, r Record) error
}

// Capabilities are differences between backends that callers adapt to.
type Capabilities struct {
	PTY, Stdin, Split, Resize, Screen, LogLimit bool
	TTYStdin                                    bool // a terminal for the input alone
}

// Launch is what a backend gets to start a job.
type Launch struct {
	Record
	Spec Spec // resolved: absolute Dir, all defaults filled in
	// Env is the complete environment for a job on this machine, HOB_JOB_ID
	// included. Of the variables that describe a terminal (TERM, COLORTERM,
	// LINES, COLUMNS …) it has only those that Spec.Env asks for: the others are
	// the backend's to add.
	Env []string
	// Files are lent by the caller, by the numbers of the job's descriptors: 0 is
	// its standard input, which Spec says if it is not there, 2 standard error of a
	// job with a terminal, others are beyond 2.
	Files map[int]*os.File
	// Prepared is what Prepare of a [Preparer] returned, lent; else nil.
	Prepared io.Closer
}

// Preparer is a [Backend] that has something to do with the directory of a job
// before anybody can see that job.
type Preparer interface {
	// Prepare returns what Start is to get as Launch.Prepared. It is closed when
	// Start has returned, or when there is no start after all.
	Prepare(dir string) (io.Closer, error)
}

// Record locates a job.
type Record struct {
	ID  ID
	Dir string // absolute path of the job directory
	// Job is what the directory's records say.
	Job Job
}

// Run is one execution, started or found again: the same from there on.
type Run interface {
	ID() ID
	// Wait returns when the job has ended. ErrUnreachable means unknown, not
	// ended.
	Wait(ctx context.Context) (Exit, error)
	// Signal sends one signal ("SIGINT") to the job's foreground and group. by is who
	// asks: recorded as ended_by, where the backend can tell, if the job ends by it.
	Signal(ctx context.Context, name, by string) error
	// Stop ends the whole tree and returns when it is gone. On a job that ended
	// but left survivors it ends those. ErrNotRunning when there is nothing.
	Stop(ctx context.Context, o StopOptions) (StopReport, error)
	// Write types p; CloseInput ends the input. ErrNoInput when the job has
	// none.
	Write(ctx context.Context, p []byte) error
	CloseInput(ctx context.Context) error
	// OpenOutput opens one of the job's streams for reading by absolute offset.
	OpenOutput(ctx context.Context, s Stream) (Output, error)
	// Watch calls notify with what is known now, at once, and after every change, at
	// most 30 times a second; ends are never left out. The note is what the job asked to
	// be notified of since the call before, zero: nothing. Watch returns nil after the
	// end was notified, ctx's error when ctx is done, and any other error when it can no
	// longer tell. notify is never called concurrently.
	Watch(ctx context.Context, notify func(State, Note)) error
}

// Glancer is a [Run] that can be watched with less effort.
type Glancer interface {
	// Glance says whether nobody looks at the job closely: Watch then tells what is
	// not urgent, such as output, once a second. It may be called at any time, also
	// before Watch, and waits for nothing.
	Glance(on bool)
}

// StartObserver is a [Run] that knows from its start how the job stands, so that
// its records need not be read.
type StartObserver interface {
	// Begun is what was known when Start returned; false: nothing.
	Begun() (State, bool)
}

// InputCopier is a [Run] to which a stream of input is passed on faster than by one Write
// after the other.
type InputCopier interface {
	// CopyInput is what [Engine.CopyInput] does.
	CopyInput(ctx context.Context, in io.Reader) error
}

// Stream names one of a job's output files.
type Stream string

// The streams.
const (
	StreamOutput Stream = "output" // both, in the order written
	StreamStdout Stream = "stdout" // only of jobs with Split
	StreamStderr Stream = "stderr"
)

// Output reads one stream by absolute offset. Safe for concurrent use. An open
// Output stays readable when its job is removed.
type Output interface {
	// ReadAt reads at offset off, counted from the first byte ever written.
	// Inside a dropped range it reads zero bytes; Holes says where those are.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	Size(ctx context.Context) (int64, error)
	// Holes lists the ranges whose bytes were dropped.
	Holes(ctx context.Context) ([]Range, error)
	Close() error
}

// Backgrounder is a [Run] that records that nobody waits for it any longer.
type Backgrounder interface {
	Background(ctx context.Context) error
}

// Resizer is a [Run] whose terminal can be given another size.
type Resizer interface {
	Resize(ctx context.Context, s Size) error
}

// EntryReader is a [Run] whose observations leave out the entry, which it looks up
// where that is asked for: [EntryUnknown] where it cannot be told.
type EntryReader interface {
	Entry(ctx context.Context) (Entry, error)
}

// KeySender is a [Run] that encodes keys (tmux names) by the modes that the job
// has set, and pastes.
type KeySender interface {
	SendKeys(ctx context.Context, keys []string) error
	Paste(ctx context.Context, p []byte) error
}

// ScreenReader is a [Run] that can show its screen.
type ScreenReader interface {
	Screen(ctx context.Context) (Screen, error)
}

// TerminalOpener is a [Run] that offers a live terminal. (To attach means
// something else in this package: the caller brings a process that it owns.)
type TerminalOpener interface {
	OpenTerminal(ctx context.Context, o TerminalOptions) (Terminal, error)
}

// Terminal is a live session with a job's terminal: a snapshot, then the stream
// from its offset on, nothing doubled or lost. Next has one caller at a time;
// the rest may be called concurrently with it. Of several sessions one has the
// keyboard and says the size; [Type] takes it over where it is needed.
type Terminal interface {
	Next(ctx context.Context) (TerminalChunk, error)
	// Write types p. The error is ErrNotControl while another session has the
	// keyboard, where the backend knows.
	Write(ctx context.Context, p []byte) error
	Resize(ctx context.Context, s Size) error
	TakeControl(ctx context.Context) error
	// SetFacts replaces the facts that the session was opened with, once the viewer's
	// terminal has answered. Zero facts report that it answers nothing.
	SetFacts(ctx context.Context, f TerminalFacts) error
	Close() error
}
