package cli

import (
	"strconv"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// A badger shows the status of a job as a glyph and a word, the same as in the UI, and
// returns the style of both.
type badger struct {
	badge statusbadge.Badge
	now   time.Time
}

func (a *app) badges(now time.Time) badger {
	return badger{statusbadge.New(&themes.Styles{Glyphs: a.glyphs()}), now}
}

// glyphs returns the signs that the terminal can show.
func (a *app) glyphs() themes.Glyphs {
	if a.ascii {
		return themes.ASCII()
	}
	return themes.Unicode()
}

func (b badger) of(j engine.Job) (glyph, word string, st style) {
	word = statusbadge.Word(j)
	state := statusbadge.StateOf(j)
	if state == statusbadge.Stopping && !j.StopDeadline().IsZero() {
		word += " " + units.FormatDuration(j.StopDeadline().Sub(b.now)+time.Second-1)
	}
	return b.badge.Glyph(j), word, styleOf(j)
}

// styleOf returns the style of a job's badge. A failure that the user has seen is dim.
func styleOf(j engine.Job) style {
	if j.Seen {
		return styleDim
	}
	switch statusbadge.StateOf(j) {
	case statusbadge.Waiting, statusbadge.Paused, statusbadge.Stopping:
		return styleWarn
	case statusbadge.Lost, statusbadge.Failed:
		return styleBad
	case statusbadge.Queued, statusbadge.Starting, statusbadge.Stopped:
		return styleDim
	case statusbadge.Running, statusbadge.Done:
	}
	return styleGood
}

// endWord is how a job ended in one word for scripts: the code, the signal or a
// dash.
func endWord(j engine.Job) string {
	exit, ok := j.Ended()
	switch {
	case !ok:
		return "-"
	case exit.Signal != "":
		return exit.Signal
	case exit.Code != nil:
		return strconv.Itoa(*exit.Code)
	}
	return "-"
}

// ownCode is the code that run, attach and wait end with for a finished job.
func ownCode(exit engine.Exit) int {
	switch {
	case exit.Status == engine.Lost || exit.Code == nil:
		return exitHob
	}
	return *exit.Code
}
