package record

import (
	"errors"
	"time"
)

// Why a request about a job is refused. They are wrapped; test with errors.Is.
var (
	ErrNotFound    = errors.New("no such job")                      // or it was cleared
	ErrNotRunning  = errors.New("job is not running")               // it has ended
	ErrNoInput     = errors.New("job takes no input")               // it has none, or that has ended
	ErrNotControl  = errors.New("another session has the keyboard") // TakeControl takes it over
	ErrUnsupported = errors.New("not supported")                    // by the backend, or this kind of job
	ErrInvalid     = errors.New("invalid request")                  // it never makes sense, whatever the job
)

// Note is a notification that a job sent with OSC 9 or OSC 777.
type Note struct {
	Title string `json:"title,omitempty"`
	Body  string `json:"body"`
}

// StopOptions says how to end a job.
type StopOptions struct {
	// Grace is how long the job may take before SIGKILL: negative means at once,
	// 0 the job's own grace time.
	Grace       time.Duration
	KeepDaemons bool   // spare what left the job's session
	By          string // who asks: recorded as ended_by
	Reason      Reason // kill or timeout; empty: kill
}

// StopReport says what ending a job took.
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
	// Main is the main screen with its scrollback, styled, for a job that ended:
	// what stays when a full-screen program has left.
	Main string `json:"main,omitempty"`
}

// TerminalOptions describes the viewer's terminal.
type TerminalOptions struct {
	Control bool // types and decides the size; else only watches
	Size    Size
	Client  string // shown to other viewers as who has the keyboard
	Facts   TerminalFacts
	// Scrollback is how many bytes of history the first snapshot may carry.
	Scrollback int
}

// TerminalFacts are properties of the viewer's own terminal with which queries
// of the job are answered while it has control. Zero values mean unknown.
type TerminalFacts struct {
	Foreground, Background [3]uint8
	HaveColors             bool
	CellWidth, CellHeight  int // pixels
	KittyKeyboard          bool
}

// TerminalChunk is one step of a terminal session.
type TerminalChunk struct {
	// Reset: Data is a snapshot that redraws the whole state; what was shown
	// before is void.
	Reset bool
	Data  []byte
	// Offset is the stream offset behind Data.
	Offset int64
	Size   Size
	// Controller names who types; Control reports whether it is this session.
	Controller string
	Control    bool
	// Exit is set in the last chunk.
	Exit *Exit
}
