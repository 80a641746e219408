// Package statusbadge shows the state of a job as a glyph and a word, for list rows, detail,
// footers and dialogs.
//
// Only this package decides which state of a job matters to the user ([State]), so that order,
// counts and colors agree everywhere.
package statusbadge

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
)

// State is the state of a job as shown to the user.
type State int

// States, in order of need.
const (
	Waiting    State = iota
	Restarting       // between two runs, or in a run that follows a failed one and may be part of a crash loop
	Unhealthy        // it runs, and its health check fails
	Running
	Starting
	Paused
	Stopping
	Stale // what is known is old: its host cannot be reached
	Queued
	Failed // failed without a request of a client, or could not start
	Lost
	Done
	Stopped // ended by a request of a client
)

// StateOf returns the state of a job.
func StateOf(j engine.Job) State {
	if j.Link == engine.LinkUnreachable && !j.Status.Finished() {
		return Stale
	}
	switch j.Status {
	case engine.Queued:
		if j.Runs.Between() {
			return Restarting
		}
		return Queued
	case engine.Starting:
		if j.Runs.Failing() {
			return Restarting
		}
		return Starting
	case engine.Stopping:
		return Stopping
	case engine.Running:
		switch {
		case j.NeedsInput():
			return Waiting
		case j.Paused:
			return Paused
		case j.Health.Is(engine.Unhealthy):
			return Unhealthy
		case j.Runs.Failing():
			return Restarting
		}
		return Running
	case engine.Lost:
		return Lost
	case engine.Exited, engine.Killed, engine.Failed:
	}
	switch {
	case j.Unsuccessful():
		return Failed
	case j.Status == engine.Killed:
		return Stopped
	}
	return Done
}

// Need is what a job needs from the user. Counts and the order of the list use it.
type Need int

// Needs, most urgent first.
const (
	NeedsInput Need = iota
	Restarts
	FailsChecks // runs, but is unhealthy
	Runs
	Waits     // queued, not begun
	NeedsLook // failed, and the user has not looked at it yet
	Ended
)

// NeedOf returns what a job needs.
func NeedOf(j engine.Job) Need {
	switch {
	case j.FailedUnseen():
		return NeedsLook
	case j.Status.Finished():
		return Ended
	}
	switch state := StateOf(j); {
	case state == Waiting:
		return NeedsInput
	case state == Restarting:
		return Restarts
	case state == Unhealthy:
		return FailsChecks
	case state == Queued:
		return Waits
	}
	return Runs
}

// Counts are numbers of jobs. A failure counts as failed until the user has seen it, then as seen.
type Counts struct {
	Running                                         int // with those of Waiting, Unhealthy and Stale
	Waiting, Unhealthy, Stale                       int
	Restarting, Queued, Failed, Done, Stopped, Seen int
}

// OnlyRunning is how many jobs run and do nothing else that a user wants to know.
func (c Counts) OnlyRunning() int { return c.Running - c.Waiting - c.Unhealthy - c.Stale }

// Add counts a job.
func (c *Counts) Add(j engine.Job) {
	switch state := StateOf(j); NeedOf(j) {
	case NeedsInput:
		c.Waiting++
		c.Running++
	case Restarts:
		c.Restarting++
	case Waits:
		c.Queued++
	case FailsChecks:
		c.Unhealthy++
		c.Running++
	case Runs:
		if state == Stale {
			c.Stale++
		}
		c.Running++
	case NeedsLook:
		c.Failed++
	case Ended:
		switch state {
		case Done:
			c.Done++
		case Stopped:
			c.Stopped++
		default:
			c.Seen++
		}
	}
}

// Width is the width of a column of badges with short words, with the blank that follows it.
const Width = 12

// loopFrom is the number of failures in a row from which on a job that is started again needs a look.
const loopFrom = 3

// Loops reports whether a job that is started again has failed so often that it needs a look.
func Loops(j engine.Job) bool { return j.Runs != nil && j.Runs.Failures >= loopFrom }

type look struct {
	glyph string
	style *lipgloss.Style
}

func lookOf(s *themes.Styles, j engine.Job) look {
	g := &s.Glyphs
	restarting := &s.Warning
	if Loops(j) {
		restarting = &s.Failed
	}
	return [...]look{
		Waiting:    {g.Waiting, &s.Waiting},
		Restarting: {g.Restarting, restarting},
		Stale:      {g.Starting, &s.Muted},
		Unhealthy:  {g.Running, &s.Failed},
		Running:    {g.Running, &s.Running},
		Starting:   {g.Starting, &s.Starting},
		Queued:     {g.Queued, &s.Muted},
		Paused:     {g.Paused, &s.Warning},
		Stopping:   {g.Stopping, &s.Stopping},
		Failed:     {g.Failed, &s.Failed},
		Lost:       {g.Lost, &s.Lost},
		Done:       {g.Done, &s.Done},
		Stopped:    {g.Stopped, &s.Done},
	}[StateOf(j)]
}

// Word returns the state of a job in words: "running", "needs input", "exit 2", "SIGKILL".
func Word(j engine.Job) string {
	switch StateOf(j) {
	case Waiting:
		return "needs input"
	case Restarting:
		return "restart"
	case Stale:
		return "stale"
	case Queued:
		return "queued"
	case Starting:
		return "starting"
	case Unhealthy:
		return "unhealthy"
	case Running:
		return "running"
	case Paused:
		return "paused"
	case Stopping:
		return "stopping"
	case Lost:
		return "lost"
	case Stopped:
		return "stopped"
	case Failed, Done:
	}
	switch {
	case j.Status == engine.Failed:
		return "failed"
	case j.Exit.Reason == engine.ReasonTimeout:
		return "timeout"
	case j.Exit.Signal != "":
		return j.Exit.Signal
	case j.Exit.Code != nil:
		return "exit " + strconv.Itoa(*j.Exit.Code)
	}
	return "ended"
}

// Glyph returns the badge of a job in one column, without style.
func Glyph(s *themes.Styles, j engine.Job) string { return lookOf(s, j).glyph }

// Style returns the style of the job's badge, one of those of s.
func Style(s *themes.Styles, j engine.Job) *lipgloss.Style { return lookOf(s, j).style }

// Text returns glyph and word without style.
func Text(s *themes.Styles, j engine.Job) string { return Glyph(s, j) + " " + Word(j) }

// View returns glyph and word with style.
func View(s *themes.Styles, j engine.Job) string { return Style(s, j).Render(Text(s, j)) }

// Column returns glyph and word without style in exactly w columns. A word that is too long is
// shortened: "input", and a signal without SIG.
func Column(s *themes.Styles, j engine.Job, w int) string {
	text := Text(s, j)
	if cells.Width(text) >= w {
		word := strings.TrimPrefix(Word(j), "SIG")
		if StateOf(j) == Waiting {
			word = "input"
		}
		text = Glyph(s, j) + " " + word
	}
	return cells.Fit(text, w)
}
