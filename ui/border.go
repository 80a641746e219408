package ui

// This file has the texts in the borders of the panes.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// edges returns the frame of a pane, with an emphasized title if it is focused.
func (p *Pane) edges(focused bool) cells.Frame {
	s := p.styles
	f := cells.Frame{Border: p.opts.glyphs.Border, Line: s.Border, Title: s.Title, Info: s.Muted, Mark: p.opts.glyphs.Ellipsis}
	if focused && p.focused && !p.CapturesKeys() {
		f.Title = s.PaneFocused
	}
	return f
}

func (p *Pane) title(w int) string {
	j, ok := p.jobs.all[p.shown.id]
	if on, _ := p.onFold(); on && !ok {
		if group, _ := p.list.Folded(); group != "" {
			return "Group " + cells.Clean(group)
		}
		return "Older jobs"
	}
	if !ok {
		return "Detail"
	}
	// The remaining columns are for corners, blanks around the title, and the text on the right.
	room := w - 8
	if p.lay.divider == 0 && !p.lay.log.empty() {
		room -= cells.Width(p.logFacts()) + 2
	}
	return cells.Name(cells.Clean(j.Name), max(8, room), p.opts.glyphs.Ellipsis)
}

func (p *Pane) moreDetail() string {
	if n := p.detail.More(); n > 0 {
		return p.opts.glyphs.More + " " + strconv.Itoa(n)
	}
	return ""
}

// zoomNote returns a note if one pane is zoomed. It is empty where only one pane fits anyway.
func (p *Pane) zoomNote() string {
	if !p.zoomed || p.w < stackWidth {
		return ""
	}
	return "zoomed"
}

// dotted joins the texts that are not empty.
func (l *labels) dotted(words ...string) string {
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	return strings.Join(words, " "+l.opts.glyphs.Dot+" ")
}

// logEdges returns the frame of the log. New lines below the view are emphasized.
func (p *Pane) logEdges() cells.Frame {
	f := p.edges(p.focus == areaLog)
	if n, _ := p.log.NewLines(); n > 0 && !p.screenShown() {
		f.Info = p.styles.AccentStrong
	}
	return f
}

func (p *Pane) logFacts() string { return p.dotted(p.logState(), p.zoomNote()) }

func (p *Pane) logTitle() string {
	switch {
	case p.screenShown():
		return "Screen"
	case p.shown.last:
		return "Last screen"
	}
	if j, ok := p.jobs.all[p.shown.id]; ok && j.Split {
		return "Log " + string(p.shown.stream)
	}
	return "Log"
}

// reconnects reports whether the unreachable host of a job is being connected.
func (p *Pane) reconnects(j *job) bool {
	return j.Host != "" && j.Host == p.connecting && j.Link == engine.LinkUnreachable
}

// logState returns whether the log is followed, or how many new lines are below.
func (p *Pane) logState() string {
	if state := p.screenState(); state != "" {
		return state
	}
	if j, ok := p.jobs.all[p.shown.id]; ok && p.reconnects(j) {
		return "connecting to " + cells.Clean(j.Host) + p.opts.glyphs.Ellipsis
	}
	switch {
	case p.log.Err() == nil:
	case p.log.Size() > 0: // the lines read before are still shown
		return "not readable now"
	default: // the log pane shows the error
		return ""
	}
	if n, more := p.log.NewLines(); n > 0 {
		plus, word := "", " new lines "
		if more {
			plus = "+"
		}
		if n == 1 {
			word = " new line "
		}
		return p.opts.glyphs.More + " " + strconv.Itoa(n) + plus + word + p.opts.glyphs.Dot + " " + p.keyLabel(p.opts.keys.Log.Bottom)
	}
	if p.log.Following() && p.live() && p.shown.log != nil {
		return "following"
	}
	return ""
}

func (p *Pane) logSize() string {
	if p.screenShown() || p.shown.last {
		size := p.jobs.all[p.shown.id].Size
		text := p.sizeText(size.Cols, size.Rows)
		if p.screenShown() && (size.Cols > p.lay.log.w || size.Rows > p.lay.log.h) {
			text = p.sizeText(min(size.Cols, p.lay.log.w), min(size.Rows, p.lay.log.h)) + " of " + text
		}
		return text
	}
	if p.shown.log == nil || p.log.Size() == 0 {
		return ""
	}
	text := units.FormatBytes(p.log.Size())
	if at := p.log.Percent(); at < 100 {
		text += " " + p.opts.glyphs.Dot + " " + strconv.Itoa(at) + " %"
	}
	return text
}

func (l *labels) sizeText(cols, rows int) string {
	return strconv.Itoa(cols) + l.opts.glyphs.Times + strconv.Itoa(rows)
}
