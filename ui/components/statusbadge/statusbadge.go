// Package statusbadge says in one glyph and one word how a job stands: the
// badge of list rows, detail, footers and dialogs.
//
// It is also the one place that ranks a job by what a person must know of it
// ([State]), so that order, counts and colours agree everywhere.
package statusbadge

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
)

// State is how a job stands for a person.
type State int

// The states, by need: what asks for the person first.
const (
	Waiting State = iota
	Running
	Starting
	Paused
	Stopping
	Failed // ended badly and nobody asked for it, or could not start
	Lost
	Done
	Stopped // ended because somebody asked
)

// StateOf ranks a job.
func StateOf(j engine.Job) State {
	switch j.Status {
	case engine.Starting:
		return Starting
	case engine.Stopping:
		return Stopping
	case engine.Running:
		switch {
		case j.Waiting:
			return Waiting
		case j.Paused:
			return Paused
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

// Need groups states for the order of the list: waiting for the person,
// running, failed, done.
func (s State) Need() int {
	switch s {
	case Waiting:
		return 0
	case Running, Starting, Paused, Stopping:
		return 1
	case Failed, Lost:
		return 2
	case Done, Stopped:
	}
	return 3
}

// Width is the number of columns that [Badge.Column] takes.
const Width = 10

// Badge draws badges. It is a value without state.
type Badge struct{ looks [Stopped + 1]look }

// look is how a state is drawn.
type look struct {
	glyph string
	style lipgloss.Style
}

// New returns the badges of a theme.
func New(s themes.Badge, g themes.Glyphs) Badge {
	return Badge{[Stopped + 1]look{
		Waiting:  {g.Waiting, s.Waiting},
		Running:  {g.Running, s.Running},
		Starting: {g.Starting, s.Starting},
		Paused:   {g.Paused, s.Paused},
		Stopping: {g.Stopping, s.Stopping},
		Failed:   {g.Failed, s.Failed},
		Lost:     {g.Lost, s.Lost},
		Done:     {g.Done, s.Done},
		Stopped:  {g.Failed, s.Done},
	}}
}

// Word says how the job stands: "running", "waits", "exit 2", "SIGKILL".
func Word(j engine.Job) string {
	switch StateOf(j) {
	case Waiting:
		return "waits"
	case Starting:
		return "starting"
	case Running:
		return "running"
	case Paused:
		return "paused"
	case Stopping:
		return "stopping"
	case Lost:
		return "lost"
	case Failed, Done, Stopped:
	}
	switch {
	case j.Status == engine.Failed:
		return "failed"
	case j.Exit.Reason == engine.ReasonTimeout:
		return "timeout"
	case j.Exit.Signal != "":
		return j.Exit.Signal
	case j.Status == engine.Killed:
		return "stopped"
	case j.Exit.Code != nil:
		return "exit " + strconv.Itoa(*j.Exit.Code)
	}
	return "ended"
}

// Glyph is the badge in one column, without style.
func (b Badge) Glyph(j engine.Job) string { return b.looks[StateOf(j)].glyph }

// Style is the style of the job's badge.
func (b Badge) Style(j engine.Job) lipgloss.Style { return b.looks[StateOf(j)].style }

// Text is glyph and word without style.
func (b Badge) Text(j engine.Job) string { return b.Glyph(j) + " " + Word(j) }

// View is glyph and word, as wide as they are.
func (b Badge) View(j engine.Job) string { return b.Style(j).Render(b.Text(j)) }

// Column is glyph and word without style in exactly [Width] columns. A signal
// with a longer name stands there without its SIG: "VTALRM".
func (b Badge) Column(j engine.Job) string {
	text := b.Text(j)
	if cells.Width(text) > Width {
		text = b.Glyph(j) + " " + strings.TrimPrefix(Word(j), "SIG")
	}
	return cells.Fit(text, Width)
}
