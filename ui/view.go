package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
)

// arrange computes the layout and sets the sizes of the components.
func (p *Pane) arrange() tea.Cmd {
	p.frame.dirty = true
	a := p.fore.attached()
	if a != nil {
		size := TerminalSize(p.view.w, p.view.h)
		p.view.lay = layout{footer: rect{0, size.Rows, p.view.w, p.view.h - size.Rows}, log: rect{0, 0, size.Cols, size.Rows}}
		p.fore.term.SetSize(size.Cols, size.Rows)
	} else {
		if p.view.w < bareWidth || p.view.h < bareHeight {
			p.view.focus = areaList
		}
		if p.pointer.drag != areaLog {
			p.view.given = p.view.focus
		}
		p.detail.SetForm(p.view.form())
		p.view.lay = p.layout()
		if l := p.view.lay.list; !l.empty() { // a list that is not shown keeps its place
			p.list.SetSize(l.w, l.h)
		}
		p.detail.SetSize(p.view.lay.detail.w, p.view.lay.detail.h)
	}
	var cmd tea.Cmd
	l := p.view.lay
	if p.fore.terminal() == nil {
		cmd = p.output.place(l.log.w, l.log.h, !l.log.empty(), a == nil && !l.log.empty())
	} else {
		p.output.hide()
	}
	p.modal.place(l.boxRoom(p.view.w, p.view.h), l.wholeRoom(p.view.w, p.view.h), l.footer)
	p.updateFocus()
	return tea.Batch(cmd, p.output.updatePreview(), p.output.catchUp())
}

// layout computes the layout of the panes for what they show now.
func (p *Pane) layout() layout {
	a := arrangement{
		header:  p.opts.header,
		focus:   p.view.given,
		zoom:    p.view.zoomed,
		detail:  p.detail.Lines,
		alone:   p.nothing(),
		notices: p.noticeRows(),
	}
	if p.output.group.shown() && a.focus != areaDetail {
		a.detail = nil // the merged log shows what its jobs do
	}
	if w, h := p.list.Needs(); w > 0 {
		a.listW, a.listH = w+2, h+2
	}
	return arrange(p.view.w, p.view.h, a)
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
		lines = p.painter.drawTooSmall(p.Counts().Waiting)
	default:
		lines = p.drawPanes()
	}
	p.modal.draw(lines, p.modal.over)
	return strings.Join(lines, "\n")
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
	lines := make([]string, 0, p.view.h)
	if !p.view.lay.header.empty() {
		lines = append(lines, p.header(p.view.w))
	}
	lines = append(lines, p.painter.draw(p.events.known)...)
	return append(lines, p.footer(p.view.w)...)
}
