package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// arrange computes the layout and sets the sizes of the components.
func (p *Pane) arrange() tea.Cmd {
	p.frame.dirty = true
	p.view.laid = p.detail.Lines()
	var l layout
	var cmd tea.Cmd
	a := p.fore.attached()
	if a != nil {
		size := TerminalSize(p.view.w, p.view.h)
		l = layout{footer: rect{0, size.Rows, p.view.w, p.view.h - size.Rows}, log: rect{0, 0, size.Cols, size.Rows}}
		p.fore.term.SetSize(l.log.w, l.log.h)
	} else {
		if p.view.w < bareWidth || p.view.h < bareHeight {
			p.view.focus = areaList
		}
		l = arrange(p.view.w, p.view.h, arrangement{
			header:  p.opts.header,
			focus:   p.view.focus,
			zoom:    p.view.zoomed,
			detail:  p.detail.Lines(),
			alone:   p.nothing(),
			notices: p.noticeRows(),
		})
	}
	p.view.lay = l
	if a == nil {
		p.list.SetSize(l.list.w, l.list.h)
		p.detail.SetSize(l.detail.w, l.detail.h)
	}
	if p.fore.terminal() == nil {
		cmd = p.output.place(l.log.w, l.log.h, !l.log.empty(), a == nil && !l.log.empty())
	} else {
		p.output.hide()
	}
	p.modal.place(l.boxRoom(p.view.w, p.view.h), l.footer)
	p.updateFocus()
	return tea.Batch(cmd, p.output.updatePreview(), p.output.catchUp())
}

func (p *Pane) nothing() bool {
	all, _ := p.list.Len()
	return p.events.known && all == 0 && p.view.focus == areaList
}

// frame is the last result of View.
type frame struct {
	text  string
	dirty bool // something has changed since
}

// Changed reports whether View may draw something else than it last returned.
func (p *Pane) Changed() bool { return p.frame.dirty }

// View draws the pane in exactly its size. The frame is cached until something changes.
func (p *Pane) View() string {
	if !p.frame.dirty {
		return p.frame.text
	}
	p.frame.dirty = false
	p.frame.text = p.draw()
	return p.frame.text
}

func (p *Pane) draw() string {
	if p.view.empty() {
		return ""
	}
	var lines []string
	switch {
	case p.fore.attached() != nil:
		lines = p.drawAttached()
	case p.view.lay.shape == shapeTooSmall:
		lines = p.drawTooSmall()
	default:
		lines = p.drawPanes()
	}
	p.modal.draw(lines, p.modal.over)
	return strings.Join(lines, "\n")
}

// drawTooSmall draws a message for a pane that is too small, including whether a job needs input.
func (p *Pane) drawTooSmall() []string {
	words := []string{"too small"}
	if long := fmt.Sprintf("too small: %dx%d at least", minWidth, minHeight); len(long) <= p.view.w {
		words[0] = long
	}
	if n := p.Counts().Waiting; n > 0 {
		words = append(words, p.opts.glyphs.Waiting+" "+strconv.Itoa(n)+" input")
		words = words[max(0, len(words)-p.view.h):]
	}
	lines := cells.Block(nil, p.view.w, p.view.h)
	top := (p.view.h - len(words)) / 2
	for i, text := range words {
		lines[top+i] = cells.Fit(cells.Blank((p.view.w-cells.Width(text))/2)+text, p.view.w)
	}
	return lines
}

func (p *Pane) drawAttached() []string {
	view := p.fore.term.View()
	if p.fore.job.viaLog {
		view = p.output.log.View()
	}
	lines := cells.Block(strings.Split(view, "\n"), p.view.w, p.view.lay.log.h)
	if p.view.lay.footer.h > 0 {
		lines = append(lines, p.footer(p.view.w)...)
	}
	return lines
}

func (p *Pane) drawPanes() []string {
	l := p.view.lay
	lines := make([]string, 0, p.view.h)
	if !l.header.empty() {
		lines = append(lines, p.header(p.view.w))
	}
	left, right := p.drawList(), p.drawRight()
	switch l.shape {
	case shapeWide:
		for i := range left {
			lines = append(lines, left[i]+right[i])
		}
	case shapeStack, shapeOne, shapeBare, shapeTooSmall:
		lines = append(append(lines, left...), right...)
	}
	return append(lines, p.footer(p.view.w)...)
}

func (p *Pane) drawList() []string {
	l := p.view.lay
	rows := split(p.list.View())
	if !p.events.known { // the snapshot was not received yet
		rows = cells.Block(nil, l.list.w, l.list.h)
	}
	if l.shape == shapeBare {
		return rows
	}
	if l.listFrame.empty() {
		return nil
	}
	f := p.edges(p.view.focus == areaList)
	all, shown := p.list.Len()
	count := units.Count(all, "job")
	switch {
	case p.list.Filter() != "":
		count = p.dotted(strconv.Itoa(shown)+" of "+count, p.filterText(p.list.Filter()))
		if p.modal.prompt == nil {
			count = p.dotted(count, p.does(p.opts.keys.Panes.Back, "clear"))
		}
	case all == 0:
		count = ""
	case p.opts.keys.Jobs.Filter.Enabled():
		count += " " + p.opts.glyphs.Dot + " " + p.opts.keys.Jobs.Filter.Help().Key + " filter"
	}
	top, rowCount := p.list.Window()
	marked := ""
	if n := len(p.list.Marked()); n > 0 {
		marked = strconv.Itoa(n) + " marked"
	}
	lines := []string{f.Top("Jobs", p.dotted(p.list.SortNote(), p.zoomNote()), l.listFrame.w)}
	head := p.list.HeaderRows()
	lines = append(lines, f.Sides(rows[:head], l.listFrame.w)...)
	lines = append(lines, f.Scrolled(rows[head:], l.listFrame.w, top, rowCount, p.opts.glyphs.ScrollThumb)...)
	return append(lines, f.Bottom(count, marked, l.listFrame.w))
}

// drawRight draws detail above log, or the visible one of them.
func (p *Pane) drawRight() []string {
	l := p.view.lay
	if l.rightFrame.empty() {
		return nil
	}
	w := l.rightFrame.w
	f := p.edges(p.view.focus == areaDetail)
	name := p.title(w)
	lines := make([]string, 0, l.rightFrame.h)
	side := func(block []string) {
		for i, line := range block {
			block[i] = " " + line
		}
		lines = append(lines, f.Sides(block, w)...)
	}
	switch {
	case l.log.empty():
		lines = append(lines, f.Top(name, p.dotted(p.moreDetail(), p.zoomNote()), w))
		side(split(p.detail.View()))
		return append(lines, f.Bottom("", "", w))
	case l.divider == 0:
		g := p.logEdges()
		lines = append(lines, g.Top(name, p.logFacts(), w))
	default:
		if !l.head.empty() {
			f = p.edges(false) // the log below has its own title
			lines = append(lines, f.Top(name, "", w))
			side(p.detail.Head(l.head.w, l.head.h))
		} else {
			lines = append(lines, f.Top(name, p.moreDetail(), w))
			side(split(p.detail.View()))
		}
		g := p.logEdges()
		lines = append(lines, g.Divide(p.opts.glyphs.JoinLeft, p.opts.glyphs.JoinRight, p.output.logTitle(), p.logFacts(), w))
	}
	if p.output.screenShown() {
		side(split(p.output.screen.View()))
	} else {
		lines = append(lines, p.drawLog(f, w)...)
	}
	return append(lines, f.Bottom("", p.output.logSize(), w))
}

// drawLog draws the log inside its border, with a bar before the current line like that of the
// selected row in the list.
func (p *Pane) drawLog(f cells.Frame, w int) []string {
	block := split(p.output.log.View())
	y, n := p.output.log.CurrentRows()
	for i, line := range block {
		before := " "
		if i >= y && i < y+n {
			before = p.styles.Accent.Render(p.opts.glyphs.Cursor)
		}
		block[i] = before + line
	}
	return f.Sides(block, w)
}

func split(view string) []string {
	if view == "" {
		return nil
	}
	return strings.Split(view, "\n")
}
