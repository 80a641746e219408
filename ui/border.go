package ui

// This file has the texts in the borders of the panes.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/cells"
)

// edges returns the frame of a pane, with an emphasized title if it is focused.
func (p *Pane) edges(focused bool) cells.Frame {
	s := p.styles
	f := cells.Frame{Border: p.opts.glyphs.Border, Line: s.Border, Title: s.Title, Info: s.Muted, Mark: p.opts.glyphs.Ellipsis}
	if focused && p.view.focused && !p.CapturesKeys() {
		f.Title = s.PaneFocused
	}
	return f
}

func (p *Pane) title(w int) string {
	j, ok := p.output.job()
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
	if p.view.lay.divider == 0 && !p.view.lay.log.empty() {
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
	if !p.view.zoomed || p.view.w < stackWidth {
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
	f := p.edges(p.view.focus == areaLog)
	if n, _ := p.output.log.NewLines(); n > 0 && !p.output.screenShown() {
		f.Info = p.styles.AccentStrong
	}
	return f
}

func (p *Pane) logFacts() string { return p.dotted(p.output.logState(), p.zoomNote()) }

func (l *labels) sizeText(cols, rows int) string {
	return strconv.Itoa(cols) + l.opts.glyphs.Times + strconv.Itoa(rows)
}
