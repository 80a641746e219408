package ui

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// This file has the texts about the shown output.

func (o *output) logTitle() string {
	switch {
	case o.screenShown():
		return "Screen"
	case o.last:
		return "Last screen"
	}
	if j, ok := o.job(); ok && j.Split {
		return "Log " + string(o.stream)
	}
	return "Log"
}

// contents returns what is shown instead of the log, in the form that follows the name of the job: ": screen".
func (o *output) contents() string {
	title := strings.TrimPrefix(strings.TrimPrefix(o.logTitle(), "Log"), " ")
	if title == "" {
		return ""
	}
	return ": " + strings.ToLower(title)
}

// logState returns whether the log is followed, or how many new lines are below.
func (o *output) logState() string {
	if state := o.screenState(); state != "" {
		return state
	}
	if o.group.failed != nil {
		return "not readable now"
	}
	if j, ok := o.job(); ok && o.reconnects(j) {
		return "connecting to " + cells.Clean(j.Host) + o.opts.glyphs.Ellipsis
	}
	switch {
	case o.log.Err() == nil:
	case o.log.Size() > 0: // the lines read before are still shown
		return "not readable now"
	default: // the log pane shows the error
		return ""
	}
	if n, more := o.log.NewLines(); n > 0 {
		plus, word := "", " new lines "
		if more || o.group.pauses() {
			plus = "+"
		}
		if n == 1 {
			word = " new line "
		}
		return o.opts.glyphs.More + " " + strconv.Itoa(n) + plus + word + o.opts.glyphs.Dot + " " + o.keyLabel(o.opts.keys.Log.Bottom)
	}
	switch {
	case o.group.shown():
		return o.group.state()
	case o.log.Following() && o.live() && o.source != nil:
		return following
	}
	return ""
}

// following is the text of the border for a log that is followed.
const following = "following"

// large reports whether searching the log takes long.
func (o *output) large() bool { return !o.group.shown() && o.log.Size() > liveBytes }

func (o *output) logSize() string {
	switch {
	case o.group.shown():
		return o.group.extent()
	case o.screenShown():
		return o.screenSize()
	case o.last:
		return o.sizeText(o.jobs.all[o.id].Size)
	case o.log.Size() == 0:
		return ""
	}
	text := units.FormatBytes(o.log.Size())
	if at := o.log.Percent(); at < 100 {
		text += " " + o.opts.glyphs.Dot + " " + strconv.Itoa(at) + " %"
	}
	return text
}

// screenSize returns the size of the job's screen, and how much of it fits.
func (o *output) screenSize() string {
	size, room := o.jobs.all[o.id].Size, o.screen.Size()
	fits := engine.Size{Cols: min(size.Cols, room.Cols), Rows: min(size.Rows, room.Rows)}
	if fits == size {
		return o.sizeText(size)
	}
	return o.sizeText(fits) + " of " + o.sizeText(size)
}

func (o *output) searching() bool {
	text, _, _, _ := o.log.Query()
	return text != ""
}

// searchNote returns the number of matches: "3 of 17".
func (o *output) searchNote() string {
	text, at, total, done := o.log.Query()
	if text == "" {
		return ""
	}
	if total == 0 {
		switch {
		case o.log.Err() != nil:
			return "log not read"
		case done:
			return "no matches"
		}
	}
	more := ""
	if !done {
		more = "+"
	}
	if at == 0 {
		return strconv.Itoa(total) + more + " found"
	}
	return strconv.Itoa(at) + " of " + strconv.Itoa(total) + more
}

// reconnects reports whether the unreachable host of a job is being connected.
func (o *output) reconnects(j *job) bool {
	return j.Host != "" && j.Host == o.connecting && j.Link == engine.LinkUnreachable
}

// flags returns what the log shows and how.
func (o *output) flags() string {
	if o.screenShown() {
		return ""
	}
	var flags []string
	add := func(on bool, name string) {
		if on {
			flags = append(flags, name)
		}
	}
	if note := o.searchNote(); note != "" {
		text, _, _, _ := o.log.Query()
		flags = append(flags, o.filterText(text)+"  "+note)
	}
	add(o.log.MatchingOnly(), "MATCHING")
	add(o.log.Selecting(), "SELECT")
	add(o.log.Wrap(), "WRAP")
	return strings.Join(flags, "  ")
}
