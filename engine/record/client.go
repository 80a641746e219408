package record

import (
	"context"
	"errors"
	"time"
)

// Conditions under which a request about a job is refused. They are wrapped; test with errors.Is.
var (
	ErrNotFound    = errors.New("no such job")                 // or it was cleared
	ErrNotRunning  = errors.New("job is not running")          // it has ended
	ErrNoInput     = errors.New("job takes no input")          // it has none, or that has ended
	ErrNotControl  = errors.New("another session has control") // TakeControl takes control
	ErrUnsupported = errors.New("not supported")               // by the backend, or this kind of job
	ErrInvalid     = errors.New("invalid request")             // never valid, for any job
	ErrClosed      = errors.New("engine is closed")            // Close was called
)

// Note is a notification that a job sent with OSC 9, OSC 99 or OSC 777.
type Note struct {
	Title   string  `json:"title,omitempty"`
	Body    string  `json:"body"`
	Urgency Urgency `json:"urgency,omitempty"` // empty: normal
}

// Urgency is how urgent a notification is, if it is not normal.
type Urgency string

const (
	UrgencyLow      Urgency = "low"
	UrgencyCritical Urgency = "critical"
)

// StopOptions are options for ending a job.
type StopOptions struct {
	// Grace is how long the job may take before SIGKILL: KillNow means no time, 0 the job's own grace
	// period.
	Grace       time.Duration
	KeepDaemons bool   // spare processes that left the job's session
	By          string // the client: recorded as ended_by
	Reason      Reason // kill or timeout; empty: kill
}

// KillNow is the grace period of a job that is killed at once.
const KillNow time.Duration = -1

// StopReport is the result of ending a job.
type StopReport struct {
	Took      time.Duration
	Escalated bool // SIGKILL was needed
	Survivors []Process
}

// Screen is a terminal's screen at one moment.
type Screen struct {
	Text      string `json:"text"`
	ANSI      string `json:"ansi"`
	Size      Size   `json:"size"`
	CursorX   int    `json:"cursor_x"`
	CursorY   int    `json:"cursor_y"`
	CursorOn  bool   `json:"cursor_on"`
	Title     string `json:"title,omitempty"`
	Alternate bool   `json:"alternate,omitempty"`
	// Main is the main screen with its scrollback, styled, for a job that has ended: what remains
	// after a full-screen program exits.
	Main string `json:"main,omitempty"`
}

// TerminalOptions describes the viewer's terminal.
type TerminalOptions struct {
	Control bool // types and sets the size; otherwise only watches
	Size    Size
	Client  string // shown to other viewers as the one in control
	Facts   TerminalFacts
	// Scrollback is how many bytes of history the first snapshot may contain.
	Scrollback int
}

// TerminalFacts are properties of the viewer's own terminal, used to answer the job's queries while
// the viewer has control. Zero values mean unknown.
type TerminalFacts struct {
	Foreground, Background [3]uint8
	HaveColors             bool
	CellWidth, CellHeight  int // pixels
	KittyKeyboard          bool
}

// TerminalChunk is one step of a terminal session.
type TerminalChunk struct {
	// Reset: Data is a snapshot that redraws the whole state; earlier output is void.
	Reset bool
	Data  []byte
	// Offset is the stream offset after Data.
	Offset int64
	Size   Size
	// Controller is the client in control; Control reports whether that is this session.
	Controller string
	Control    bool
	// Exit is set in the last chunk.
	Exit *Exit
}

// Stream names one of a job's output files.
type Stream string

// The streams.
const (
	StreamOutput Stream = "output" // stdout and stderr, in the order written
	StreamStdout Stream = "stdout" // only for jobs with Split
	StreamStderr Stream = "stderr" // only for jobs with Split
)

// File returns the name of the stream's file in the job directory.
func (s Stream) File() string { return string(s) + ".log" }

// Output reads one stream by absolute offset. It is safe for concurrent use. An open Output stays
// readable after its job is removed.
type Output interface {
	// ReadAt reads at offset off, counted from the first byte ever written. Inside a dropped range
	// it returns zero bytes; Holes lists those ranges.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	Size(ctx context.Context) (int64, error)
	// Holes lists the ranges whose bytes were dropped.
	Holes(ctx context.Context) ([]Range, error)
	Close() error
}

// Terminal is a live session with a job's terminal: a snapshot, then the stream from the snapshot's
// offset on, without duplicates or gaps. Next must not be called concurrently with itself; all
// other methods may be called at any time. With several sessions, one has control: it types and
// sets the size. Package engine's Type takes control when needed.
type Terminal interface {
	Next(ctx context.Context) (TerminalChunk, error)
	// Write types p. It returns ErrNotControl if another session has control, where the backend can
	// detect that.
	Write(ctx context.Context, p []byte) error
	Resize(ctx context.Context, s Size) error
	TakeControl(ctx context.Context) error
	// SetFacts replaces the facts that the session was opened with, once the viewer's terminal has
	// answered. Zero facts mean that it does not answer.
	SetFacts(ctx context.Context, f TerminalFacts) error
	Close() error
}
