package ui

// What the borders of the panes say.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// edges is the frame of a pane; the title of the one that has the keyboard stands
// out.
func (p *Pane) edges(focused bool) cells.Frame {
	s := p.styles.Frame
	f := cells.Frame{Border: p.opts.glyphs.Border, Line: s.Border, Title: s.Title, Info: s.Info, Mark: p.opts.glyphs.Ellipsis}
	if focused && p.focused && p.over == nil && p.prompt == nil {
		f.Title = s.TitleFocused
	}
	return f
}

func (p *Pane) title(w int) string {
	j, ok := p.jobs[p.shown.id]
	if !ok {
		return "Detail"
	}
	// The rest is for corners, the blanks of a title and the words on the right.
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

// zoomNote says that one pane has the place of all. Where there is room for one
// only it says nothing.
func (p *Pane) zoomNote() string {
	if !p.zoomed || p.w < stackWidth {
		return ""
	}
	return "zoomed"
}

// dotted joins words of a border; those that are empty leave no trace.
func (p *Pane) dotted(words ...string) string {
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	return strings.Join(words, " "+p.opts.glyphs.Dot+" ")
}

// logEdges is the frame of the log: lines that came while its reader was
// elsewhere are news.
func (p *Pane) logEdges() cells.Frame {
	f := p.edges(p.focus == areaLog)
	if n, _ := p.log.NewLines(); n > 0 && !p.screenShown() {
		f.Info = p.styles.Log.More
	}
	return f
}

// logFacts is what the border says of the log.
func (p *Pane) logFacts() string { return p.dotted(p.logState(), p.zoomNote()) }

func (p *Pane) logTitle() string {
	switch {
	case p.screenShown():
		return "Screen"
	case p.shown.last:
		return "Last screen"
	}
	if j, ok := p.jobs[p.shown.id]; ok && j.Split {
		return "Log " + string(p.shown.stream)
	}
	return "Log"
}

// logState says whether the log moves: following, or how much has come below.
func (p *Pane) logState() string {
	if state := p.screenState(); state != "" {
		return state
	}
	switch {
	case p.log.Err() == nil:
	case p.log.Size() > 0: // what it was
		return "cannot be read now"
	default: // which it says itself, and why
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
		size := p.jobs[p.shown.id].Size
		text := strconv.Itoa(size.Cols) + "x" + strconv.Itoa(size.Rows)
		if p.screenShown() && (size.Cols > p.lay.log.w || size.Rows > p.lay.log.h) {
			text = "part of " + text
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
