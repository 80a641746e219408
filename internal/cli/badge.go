package cli

import (
	"fmt"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// badge is how a job stands in a glyph, a word and the style of both, with the
// words and the ranking that the UI uses too.
func (a *app) badge(j engine.Job, now time.Time) (glyph, word string, st style) {
	glyphs := themes.Unicode()
	if a.ascii {
		glyphs = themes.ASCII()
	}
	word = statusbadge.Word(j)
	switch statusbadge.StateOf(j) {
	case statusbadge.Waiting:
		return glyphs.Waiting, word, styleWarn
	case statusbadge.Starting:
		return glyphs.Starting, word, styleDim
	case statusbadge.Running:
		return glyphs.Running, word, styleGood
	case statusbadge.Paused:
		return glyphs.Paused, word, styleWarn
	case statusbadge.Stopping:
		if !j.StopDeadline.IsZero() {
			word += " " + units.FormatDuration(j.StopDeadline.Sub(now)+time.Second-1)
		}
		return glyphs.Stopping, word, styleWarn
	case statusbadge.Lost:
		return glyphs.Lost, word, styleBad
	case statusbadge.Failed:
		return glyphs.Failed, word, styleBad
	case statusbadge.Stopped:
		return glyphs.Failed, word, styleDim
	case statusbadge.Done:
	}
	return glyphs.Done, word, styleGood
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
		return fmt.Sprint(*exit.Code)
	}
	return "-"
}

// inWords says how a finished job ended, for a sentence.
func inWords(j engine.Job) string {
	exit, ok := j.Ended()
	switch {
	case !ok:
		return string(j.Status)
	case j.Status == engine.Lost:
		return "lost (" + string(exit.Reason) + ")"
	case j.Status == engine.Failed && exit.Error != "":
		return "could not be started: " + exit.Error
	case exit.Reason == engine.ReasonTimeout:
		return "ended by its time-out"
	case exit.Signal != "":
		return "ended by " + exit.Signal
	case exit.Code != nil:
		return fmt.Sprintf("ended with exit code %d", *exit.Code)
	}
	return string(j.Status)
}

// ownCode is the code that run, attach and wait end with for a finished job.
func ownCode(exit engine.Exit) int {
	switch {
	case exit.Status == engine.Lost || exit.Code == nil:
		return exitHob
	}
	return *exit.Code
}
