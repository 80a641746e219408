package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// arrange lays the panes out and tells the components their sizes.
func (p *Pane) arrange() tea.Cmd {
	p.dirty = true
	p.laid = p.detail.Lines()
	var l layout
	var cmd tea.Cmd
	if p.attachment != nil {
		size := TerminalSize(p.w, p.h)
		l = layout{footer: rect{0, size.Rows, p.w, p.h - size.Rows}, log: rect{0, 0, size.Cols, size.Rows}}
		p.term.SetSize(l.log.w, l.log.h)
	} else {
		if p.w < bareWidth || p.h < bareHeight {
			p.focus = areaList
		}
		l = arrange(p.w, p.h, arrangement{header: p.opts.header, focus: p.focus, zoom: p.zoomed, detail: p.detail.Lines(), alone: p.nothing()})
	}
	p.lay = l
	if p.attachment == nil {
		p.list.SetSize(l.list.w, l.list.h)
		p.detail.SetSize(l.detail.w, l.detail.h)
	}
	if p.attachment == nil || p.attachment.viaLog {
		cmd = p.route(p.log.SetSize(l.log.w, l.log.h))
		p.screen.SetSize(l.log.w, l.log.h)
	}
	p.toasts.SetSize(p.w, max(0, p.h-2))
	p.sizeOverlay()
	p.spreadFocus()
	return tea.Batch(cmd, p.look(), p.catchUp())
}

// nothing reports whether there are no jobs to show a detail or a log of.
func (p *Pane) nothing() bool {
	all, _ := p.list.Len()
	return p.known && all == 0 && p.focus == areaList
}

// View draws the pane in exactly its size. It is drawn again only after
// something has changed.
func (p *Pane) View() string {
	if !p.dirty {
		return p.frame
	}
	p.dirty = false
	p.frame = p.draw()
	return p.frame
}

func (p *Pane) draw() string {
	if p.w == 0 || p.h == 0 {
		return ""
	}
	var lines []string
	switch {
	case p.attachment != nil:
		lines = p.drawAttached()
	case p.lay.shape == shapeTooSmall:
		lines = p.drawTooSmall()
	default:
		lines = p.drawPanes()
	}
	if p.over != nil {
		p.recede(lines)
		x, y, _, _ := p.overlayPlace()
		cells.Overlay(lines, strings.Split(p.over.View(), "\n"), x, y)
	}
	p.drawToasts(lines) // last: one may say why a dialog refuses
	return strings.Join(lines, "\n")
}

// drawTooSmall says why there is nothing to see, and above all whether a job waits.
func (p *Pane) drawTooSmall() []string {
	words := []string{"too small"}
	if long := fmt.Sprintf("too small: %dx%d at least", minWidth, minHeight); len(long) <= p.w {
		words[0] = long
	}
	if n := p.counts().waiting; n > 0 {
		waits := strconv.Itoa(n) + " wait"
		if n == 1 {
			waits += "s"
		}
		words = append(words, waits)
		words = words[max(0, len(words)-p.h):]
	}
	lines := cells.Block(nil, p.w, p.h)
	top := (p.h - len(words)) / 2
	for i, text := range words {
		lines[top+i] = cells.Fit(cells.Blank((p.w-len(text))/2)+text, p.w)
	}
	return lines
}

func (p *Pane) drawAttached() []string {
	view := p.term.View()
	if p.attachment.viaLog {
		view = p.log.View()
	}
	lines := cells.Block(strings.Split(view, "\n"), p.w, p.lay.log.h)
	if p.lay.footer.h > 0 {
		lines = append(lines, p.footer(p.w)...)
	}
	return lines
}

func (p *Pane) drawPanes() []string {
	l := p.lay
	lines := make([]string, 0, p.h)
	if !l.header.empty() {
		lines = append(lines, p.header(p.w))
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
	return append(lines, p.footer(p.w)...)
}

func (p *Pane) drawList() []string {
	l := p.lay
	rows := split(p.list.View())
	if !p.known { // that there are none is not known yet
		rows = cells.Block(nil, l.list.w, l.list.h)
	}
	if l.shape == shapeBare {
		return rows
	}
	if l.listFrame.empty() {
		return nil
	}
	f := p.edges(p.focus == areaList)
	all, shown := p.list.Len()
	count := strconv.Itoa(all) + " jobs"
	switch {
	case all == 0:
		count = ""
	case all == 1:
		count = "1 job"
	}
	if filter := p.list.Filter(); filter != "" {
		count = strconv.Itoa(shown) + " of " + count + " " + p.opts.glyphs.Dot + " /" + cells.End(cells.Clean(filter), 20, p.opts.glyphs.Ellipsis)
	} else if all > 0 && p.opts.keys.Jobs.Filter.Enabled() {
		count += " " + p.opts.glyphs.Dot + " " + p.opts.keys.Jobs.Filter.Help().Key + " filter"
	}
	top, room, at := p.list.Window()
	place := ""
	if shown > room {
		place = strconv.Itoa(at+1) + " of " + strconv.Itoa(shown)
	}
	if n := len(p.list.Marked()); n > 0 {
		if place != "" {
			place = " " + p.opts.glyphs.Dot + " " + place
		}
		place = strconv.Itoa(n) + " marked" + place
	}
	order := ""
	if p.list.Sort() != 0 {
		order = p.list.Sort().String()
	}
	lines := []string{f.Top("Jobs", p.dotted(order, p.zoomNote()), l.listFrame.w)}
	lines = append(lines, f.Scrolled(rows, l.listFrame.w, top, shown, p.opts.glyphs.ScrollThumb)...)
	return append(lines, f.Bottom(count, place, l.listFrame.w))
}

// drawRight draws detail over log, or the one of them that is shown.
func (p *Pane) drawRight() []string {
	l := p.lay
	if l.rightFrame.empty() {
		return nil
	}
	w := l.rightFrame.w
	f := p.edges(p.focus == areaDetail)
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
			f = p.edges(false) // the log below has a title of its own
			lines = append(lines, f.Top(name, "", w))
			side(p.detail.Head(l.head.w, l.head.h))
		} else {
			lines = append(lines, f.Top(name, p.moreDetail(), w))
			side(split(p.detail.View()))
		}
		g := p.logEdges()
		lines = append(lines, g.Divide(p.opts.glyphs.JoinLeft, p.opts.glyphs.JoinRight, p.logTitle(), p.logFacts(), w))
	}
	if p.screenShown() {
		side(split(p.screen.View()))
	} else {
		side(split(p.log.View()))
	}
	return append(lines, f.Bottom("", p.logSize(), w))
}

// drawToasts puts messages over the lower right corner, above the footer and beside
// the selected row.
func (p *Pane) drawToasts(lines []string) {
	if p.toasts.Empty() || p.lay.shape == shapeTooSmall && p.attachment == nil {
		return
	}
	if p.attachment != nil { // never over the job's own screen
		if p.lay.footer.h > 0 {
			const badge = 1 + statusbadge.Width + 1
			room := p.w - cells.Width(p.leaveHint()) - 2
			line := p.toasts.Last(room)
			at := room - cells.Width(line)
			if at < badge { // all of the badge or nothing
				line, at = cells.Fit(line, room), 0
			}
			cells.Overlay(lines, []string{line}, max(0, at), p.h-1)
		}
		return
	}
	toasts := p.toasts.Lines()
	if len(toasts) == 0 {
		return
	}
	w := cells.Width(toasts[0])
	at := len(lines) - p.lay.footer.h - len(toasts)
	if at > 0 && p.lay.shape != shapeBare {
		at-- // the lower edge of the panes stays whole
	}
	x := p.w - w
	if x >= 2 {
		x -= 2
	}
	at = p.beside(rect{max(0, x), max(0, at), w, len(toasts)}, len(lines)-p.lay.footer.h)
	cells.Overlay(lines, toasts, max(0, x), at)
}

// beside is the row at which messages begin that want to be at r, in height rows:
// above the selected row of the list where they would cover it, or below.
func (p *Pane) beside(r rect, height int) int {
	l, c := p.lay.list, p.list.Cursor()
	if c == nil || l.empty() || r.x >= l.x+l.w {
		return r.y
	}
	selected := l.y + c.Y
	switch {
	case selected < r.y || selected >= r.y+r.h:
	case selected-r.h >= l.y:
		return selected - r.h
	case selected+1+r.h <= height:
		return selected + 1
	}
	return r.y
}

// recede makes everything behind a dialog one quiet colour.
func (p *Pane) recede(lines []string) {
	quiet := cells.NewPaint(p.styles.Frame.Backdrop)
	for i, line := range lines[:max(0, len(lines)-p.lay.footer.h)] {
		var b strings.Builder
		quiet.Add(&b, ansi.Strip(line))
		lines[i] = b.String()
	}
}

func split(view string) []string {
	if view == "" {
		return nil
	}
	return strings.Split(view, "\n")
}
