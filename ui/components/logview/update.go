package logview

import (
	"context"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
)

// wheelRows is how far one notch of the wheel scrolls.
const wheelRows = 3

// Update takes the view's own messages, and keys and the mouse while it has the
// focus. Places of mouse messages are relative to the view. Keys that are not
// navigation (attach, stop …) are its owner's.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case thenMsg:
		if msg.owner == m {
			return msg.then()
		}
	case tea.KeyPressMsg:
		if m.focus {
			return m.press(msg)
		}
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseMotionMsg:
		m.drag(tea.Mouse(msg))
	case tea.MouseReleaseMsg:
		return m.release(tea.Mouse(msg))
	}
	return nil
}

func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	k := m.keys
	is := func(b key.Binding) bool { return keymap.Match(msg, b) }
	rows, moves := k.Rows(msg, m.h)
	switch {
	case m.err != nil && (len(m.lines) == 0 && !is(k.Wrap) && !is(k.Timestamps) || is(k.Follow) || is(k.Top) || is(k.Bottom)):
		return tea.Batch(m.read(m.here()), notice("the log cannot be read: "+m.words(m.err)))
	case is(k.Top):
		return m.ToTop()
	case is(k.Bottom):
		return m.SetFollow(true)
	case moves && m.Selecting():
		return m.extend(rows)
	case moves:
		return m.Scroll(rows)
	case is(k.Follow):
		return m.SetFollow(!m.follow)
	case is(k.Left):
		return m.pressSideways(-8)
	case is(k.Right):
		return m.pressSideways(8)
	case is(k.LineStart):
		return m.pressSideways(-maxColumns)
	case is(k.LineEnd):
		return m.pressSideways(maxColumns)
	case is(k.NextMatch):
		return m.NextMatch()
	case is(k.PreviousMatch):
		return m.PreviousMatch()
	case is(k.MatchingOnly):
		return m.SetMatchingOnly(!m.only)
	case is(k.Wrap):
		m.wrap, m.left, m.topRow, m.dirty = !m.wrap, 0, 0, true
		if m.follow {
			m.toEnd()
		}
		m.settle()
	case is(k.Timestamps):
		m.times, m.dirty = !m.times, true
		m.settle()
	case is(k.LineNumbers):
		m.numbers, m.dirty = !m.numbers, true
		return m.read(m.here())
	case is(k.Select):
		return m.toggleSelect()
	case is(k.Copy):
		return m.copySelection()
	}
	return nil
}

func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseWheelUp:
		return m.Scroll(-wheelRows)
	case tea.MouseWheelDown:
		return m.Scroll(wheelRows)
	case tea.MouseWheelLeft:
		m.sideways(-8)
	case tea.MouseWheelRight:
		m.sideways(8)
	}
	return nil
}

func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	cmd, _ := m.ClearSelection()
	p, ok := m.posAt(msg.X, msg.Y)
	if !ok {
		return cmd
	}
	m.sel = selection{from: p, to: p, pressed: true}
	if times := m.clicked.Press(p, m.now()); times > 1 {
		m.sel.from.glyph, m.sel.to.glyph = m.stretchAt(p, times > 2)
		m.sel.on, m.dirty = m.sel.from.glyph <= m.sel.to.glyph, true
	}
	return cmd
}

// stretchAt is the word at a character, or all of its line, also what is not
// drawn of it: the first and the last character.
func (m *Model) stretchAt(p pos, line bool) (first, last int) {
	i := m.indexOf(p.line)
	d := m.glyphsOf(&m.lines[i])
	if line || p.glyph >= d.own {
		if d.own > 0 {
			return 0, maxCopyColumns
		}
		return 0, -1
	}
	class := wordClass(d.part(p.glyph, p.glyph+1))
	first, last = p.glyph, p.glyph
	for first > 0 && wordClass(d.part(first-1, first)) == class {
		first--
	}
	for last+1 < d.own && wordClass(d.part(last+1, last+2)) == class {
		last++
	}
	for last > p.glyph && strings.Contains(".:?", d.part(last, last+1)) { // they end a sentence, not a name
		last--
	}
	return first, last
}

// wordClass tells words, as paths and names are made of, from blanks and the rest.
func wordClass(s string) int {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r):
		return 0
	case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("_-./~:@%+#?&=", r):
		return 1
	}
	return 2
}

func (m *Model) drag(ev tea.Mouse) {
	if !m.sel.pressed {
		return
	}
	if p, ok := m.posAt(ev.X, max(0, min(ev.Y, m.h-1))); ok {
		m.sel.to, m.sel.on, m.dirty = p, true, true
		m.hold()
	}
}

func (m *Model) release(ev tea.Mouse) tea.Cmd {
	// The pointer may have moved since the last motion that was reported.
	p, ok := m.posAt(ev.X, max(0, min(ev.Y, m.h-1)))
	if ok && (p != m.clicked.Place || m.sel.on && m.clicked.Times == 1) {
		m.drag(ev)
	}
	dragged := m.sel.pressed && m.sel.on
	m.sel.pressed = false
	if !dragged {
		return nil
	}
	return m.copySelection()
}

// Source is what a log view reads from; *engine.Log is one. Its methods are
// called from commands, several at a time.
type Source interface {
	Size(ctx context.Context) (int64, error)
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	Window(ctx context.Context, off int64, before, after int) ([]engine.Line, error)
	// Matching calls found with the range of each line that re matches, from the
	// line on that the byte at from belongs to, among those that begin before to.
	Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error
	TimeAt(off int64) (time.Time, bool)
}

// Numberer is a [Source] that can tell the number of the line at an offset.
type Numberer interface {
	LineNumber(ctx context.Context, off int64) (int64, error)
}

var _ Source = (*engine.Log)(nil)

// CopyMsg carries text that the person wants on the clipboard.
type CopyMsg struct {
	Text string
	Line bool // it is the line that stood there, not a selection
	Cut  bool // there was more of it than is copied
}

// NoticeMsg carries a short remark for the person: why nothing happened, or that
// a search began again at the other end.
type NoticeMsg struct{ Text string }
