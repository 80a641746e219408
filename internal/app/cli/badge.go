package cli

import (
	"strconv"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// A badger shows the status of jobs as a glyph, a word and the style of both, with the
// words and the ranking that the UI uses too.
type badger struct {
	glyphs themes.Glyphs
	now    time.Time
}

func (a *app) badges(now time.Time) badger {
	if a.ascii {
		return badger{themes.ASCII(), now}
	}
	return badger{themes.Unicode(), now}
}

func (b badger) of(j engine.Job) (glyph, word string, st style) {
	word = statusbadge.Word(j)
	state := statusbadge.StateOf(j)
	if state == statusbadge.Stopping && !j.StopDeadline().IsZero() {
		word += " " + units.FormatDuration(j.StopDeadline().Sub(b.now)+time.Second-1)
	}
	return b.glyph(state), word, styleOf(state)
}

func (b badger) glyph(s statusbadge.State) string {
	switch s {
	case statusbadge.Waiting:
		return b.glyphs.Waiting
	case statusbadge.Starting:
		return b.glyphs.Starting
	case statusbadge.Running:
		return b.glyphs.Running
	case statusbadge.Paused:
		return b.glyphs.Paused
	case statusbadge.Stopping:
		return b.glyphs.Stopping
	case statusbadge.Lost:
		return b.glyphs.Lost
	case statusbadge.Failed, statusbadge.Stopped:
		return b.glyphs.Failed
	case statusbadge.Done:
	}
	return b.glyphs.Done
}

func styleOf(s statusbadge.State) style {
	switch s {
	case statusbadge.Waiting, statusbadge.Paused, statusbadge.Stopping:
		return styleWarn
	case statusbadge.Lost, statusbadge.Failed:
		return styleBad
	case statusbadge.Starting, statusbadge.Stopped:
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
