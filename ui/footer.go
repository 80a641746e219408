package ui

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
)

// The last line shows the keys that matter in the focused pane, and on the right its state. A
// message replaces what quitting does, and keys that do not fit beside it, but never an answer, such
// as the number of matches. A longer message gets rows of its own, so that no message covers anything.

const (
	// promptEdge is the blank at each side of a prompt.
	promptEdge = 1
	// keyGap and groupGap are the numbers of blanks between keys and between groups.
	keyGap, groupGap = 2, 4
	// quitFooter and roomyFooter are the minimum widths for the quit key on the right, and for what
	// happens to the jobs then. In less room the quit key is beside help.
	quitFooter, roomyFooter = 60, 100
	// promptRoom is the minimum width of a prompt with keys beside it.
	promptRoom = 48
)

// footer draws the last line, and above it the messages that do not fit into it.
func (p *Pane) footer(w int) []string {
	rows := p.view.lay.footer.h - 1
	lines := make([]string, 0, rows+1)
	if rows > 0 {
		for _, text := range p.notices.Lines(w-2, rows) {
			lines = append(lines, " "+text)
		}
	}
	lines = cells.Block(lines, w, rows)
	if p.attachedOnTop() {
		line := p.footerAttached(w)
		if !p.view.focused {
			line = p.styles.Faint.Render(ansi.Strip(line))
		}
		return append(lines, line)
	}
	return append(lines, p.drawItems(p.lastLine(w), w, p.view.focused))
}

// noticeRows returns how many rows the messages need above the last line. A short one is in the last
// line, unless a prompt or a box covers that.
func (p *Pane) noticeRows() int {
	most := 0
	switch {
	case p.fore.attached() != nil, p.view.w < minWidth, p.view.h < minHeight: // a job's screen keeps its size
	case p.view.h >= bareHeight && p.view.h < stackHeight:
		most = 2
	default:
		most = 3
	}
	lines := p.notices.Lines(p.view.w-2, most)
	if beside := p.notices.Lines(p.noticeRoom(), most); len(beside) == 1 && !p.modal.coversFooter() {
		return 0
	}
	return len(lines)
}

// noticeRoom returns the width for a message in the last line: beside the answer, if there is one.
func (p *Pane) noticeRoom() int {
	if answer := cells.Width(p.logAnswer()); answer > 0 {
		return p.view.w - 2 - answer - groupGap
	}
	return p.view.w - 2
}

// notice returns the messages in one line of at most w columns. It is empty if there are none or
// they have rows of their own.
func (p *Pane) notice(w int) string {
	if p.view.lay.footer.h > 1 {
		return ""
	}
	return strings.Join(p.notices.Lines(w, 1), "")
}

// lastLine arranges the items of the last line, from left to right.
func (p *Pane) lastLine(w int) []footerItem {
	if p.modal.prompting() {
		return p.promptLine(w)
	}
	if notice := rightmost(p.notice(p.noticeRoom()), w); notice.w > 0 {
		beside := []footerItem{notice}
		if answer := rightmost(p.logAnswer(), w); answer.w > 0 {
			beside[0].x = answer.x - groupGap - notice.w
			beside = append(beside, answer)
		}
		return append(p.placed(p.footerKeys(), beside[0].x-groupGap), beside...)
	}
	right := []footerItem{rightmost(p.footerState(), w)}
	if p.modal.over == nil && p.view.quits() && w >= quitFooter {
		for _, quit := range p.placed([][]key.Binding{{p.actions.hinted("panes.quit")}}, w) {
			quit.x = right[0].x - quit.w
			right = append([]footerItem{quit}, right...)
		}
	}
	end := right[0].x
	if end < w-1 {
		end -= groupGap
	}
	return append(p.placed(p.footerKeys(), end), right...)
}

// promptLine returns the prompt, with its keys if there is room for both.
func (p *Pane) promptLine(w int) []footerItem {
	f, room := p.modal.prompt, w-2*promptEdge
	keys := p.placed(p.footerKeys(), w)
	if n := len(keys); n > 0 {
		used := keys[n-1].x + keys[n-1].w - keys[0].x
		if room-used-groupGap < promptRoom {
			keys = nil
		} else {
			room -= used + groupGap
		}
	}
	for i := range keys {
		keys[i].x += room + groupGap
	}
	f.line.SetWidth(max(0, room))
	if f.note != nil {
		f.line.SetNote(f.note())
	}
	return append([]footerItem{{text: f.line.View(), x: promptEdge, w: max(0, room)}}, keys...)
}

// clickFooter presses the key at a column of the last line.
func (p *Pane) clickFooter(x int) tea.Cmd {
	if p.attachedOnTop() {
		return p.clickAttached(p.fore.job, x)
	}
	for _, item := range p.lastLine(p.view.w) {
		if within(x-item.x, item.w) {
			return p.pressBinding(item.Binding)
		}
	}
	return nil
}

func (p *Pane) pressBinding(k key.Binding) tea.Cmd {
	if len(k.Keys()) == 0 {
		return nil
	}
	return p.press(tea.KeyPressMsg{Code: tea.KeyExtended, Text: k.Keys()[0]}) // press finds the key by its name
}

// footerState returns the state on the right: in the log what it shows, in the list what happens
// to the jobs on quitting.
func (p *Pane) footerState() string {
	style := p.styles.Text
	if !p.view.focused {
		style = p.styles.Faint
	}
	switch {
	case p.modal.over != nil:
		return ""
	case p.events.trouble != "":
		return style.Render(cells.Truncate(p.events.trouble, max(0, p.view.w/2), p.opts.glyphs.Ellipsis))
	case p.view.quits():
		return style.Render(p.leaving())
	}
	return p.logAnswer()
}

// logAnswer returns what the user asked of the log: the matches of a search and how lines are shown. It
// is empty elsewhere.
func (p *Pane) logAnswer() string {
	switch {
	case p.view.focus != areaLog, p.modal.over != nil, p.fore.attached() != nil:
		return ""
	}
	style := p.styles.Text
	if !p.view.focused {
		style = p.styles.Faint
	}
	return style.Render(p.output.flags())
}

// leaving describes what happens to the jobs when the user quits, if there is room. In an
// embedded pane the quit key only returns the focus, so it is empty.
func (p *Pane) leaving() string {
	switch n := p.Running(); {
	case n == 0, p.view.w < roomyFooter, !p.opts.program:
		return ""
	case n == 1:
		return ", 1 job keeps running"
	default:
		return ", " + strconv.Itoa(n) + " jobs keep running"
	}
}
