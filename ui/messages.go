package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// BackgroundedMsg reports to the host that a job was sent to the background.
type BackgroundedMsg struct{ ID engine.ID }

// EndedMsg reports to the host that a job has ended, once for each end while the pane is open.
type EndedMsg struct{ Job engine.Job }

// Why is the reason why a job needs attention.
type Why string

// Values of Why.
const (
	WhyWaiting  Why = "needs input"
	WhyFailed   Why = "failed"   // it failed without being stopped on request
	WhyFinished Why = "finished" // it ended
	WhyBell     Why = "bell"     // it rang the bell
	WhyNote     Why = "note"     // it sent a notification
)

// AttentionMsg reports to the host that a job needs attention and is not on screen, or that the
// pane has no focus. The end of a job that another client waits for in the foreground needs none,
// unless the job was started with Notify.
type AttentionMsg struct {
	Job  engine.Job
	Why  Why
	Note engine.Note // with WhyNote
}

// CopyMsg asks the host to copy text to the clipboard.
type CopyMsg struct {
	Text string
	What string // description: "3 lines"
}

// OpenMsg asks the host to open a file of this machine in a pager or an editor.
type OpenMsg struct {
	Path   string
	Editor bool
}

// ReplayedMsg reports that the user has closed the replay of a job.
type ReplayedMsg struct{ ID engine.ID }

// LeaveMsg reports that the user leaves the pane. Jobs keep running.
type LeaveMsg struct{}

// AskMsg is sent to a pane to ask the user for a line of text, such as a passphrase, or for yes
// or no. The pane calls Reply once, from a command or from [Pane.Close]; ok is false if the user
// refused. Reply must not block.
type AskMsg struct {
	Title   string // subject of the question: "web1"
	Text    string
	Secret  bool   // hide the typed text
	Confirm string // what yes does: "Trust it"; the answer is "yes" or "no". Empty: ask for a line of text
	Reply   func(answer string, ok bool)
}

// thenMsg carries the rest of an asynchronous operation to Update of its pane.
type thenMsg struct {
	pane *Pane
	then func() tea.Cmd
}

// eventsMsg carries events of the engine to the pane that subscribed to them.
type eventsMsg struct {
	pane   *Pane
	events []engine.Event
	now    time.Time
	err    error
}

// Requests to the App, for what only a program with its own terminal can do.
type (
	suspendMsg     struct{}
	toggleMouseMsg struct{}
)
