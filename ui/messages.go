package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// BackgroundedMsg tells the host that a job was sent to the background.
type BackgroundedMsg struct{ ID engine.ID }

// EndedMsg tells the host that a job has ended; once for each end that happens
// while the pane is there.
type EndedMsg struct{ Job engine.Job }

// Why says what a job wants attention for.
type Why string

// The reasons.
const (
	WhyWaiting  Why = "waiting"  // it waits for input
	WhyFailed   Why = "failed"   // it ended badly and nobody asked for it
	WhyFinished Why = "finished" // it ended
	WhyBell     Why = "bell"     // it rang
	WhyNote     Why = "note"     // it sent a notification
)

// AttentionMsg tells the host that a job wants somebody who is not looking at
// it: the pane has not the focus, or shows another job.
type AttentionMsg struct {
	Job  engine.Job
	Why  Why
	Note engine.Note // of WhyNote
}

// CopyMsg asks the host to put text on the clipboard.
type CopyMsg struct {
	Text string
	What string // in words: "3 lines"
}

// OpenMsg asks the host to open a file of this machine: in a pager, or in an
// editor.
type OpenMsg struct {
	Path   string
	Editor bool
}

// LeaveMsg says that the person wants out of the pane. Jobs keep running.
type LeaveMsg struct{}

// AskMsg, sent to a pane, asks the person for a line of text, such as a
// passphrase, or for yes or no. Reply is called once, from a command or from
// [Pane.Close]; ok is false when the question was refused. It may not block.
type AskMsg struct {
	Title   string // who asks: "web1"
	Text    string
	Secret  bool   // the line is not shown
	Confirm string // what yes does: "Trust it"; the answer is then "yes" or "no". "": a line of text
	Reply   func(answer string, ok bool)
}

// stamp is what every asynchronous message of a pane carries.
type stamp struct {
	pane *Pane
	gen  int
}

// stamped is a message that belongs to one pane.
type stamped interface{ owner() *Pane }

func (s stamp) owner() *Pane { return s.pane }

type (
	// childMsg is a message of one of the pane's components.
	childMsg struct {
		stamp
		msg tea.Msg
	}
	eventsMsg struct {
		stamp
		events []engine.Event
		now    time.Time
		err    error
	}
	tickMsg struct {
		stamp
		now time.Time
	}
	// thenMsg is the end of what was done outside of Update.
	thenMsg struct {
		stamp
		then func() tea.Cmd
	}
)

// What only a program around the pane can do; sent when the App asked for it.
type (
	suspendMsg     struct{}
	toggleMouseMsg struct{}
)
