package logview

import (
	"context"
	"regexp"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/later"
	"github.com/hobjobs/hob/ui/components/selection"
)

// Update handles the view's own messages, and keys and the mouse while it has the focus. Mouse
// positions are relative to the view. Keys other than navigation (attach, stop …) belong to its
// owner.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case later.Msg:
		return msg()
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
	case m.err != nil && m.retries(is):
		return tea.Batch(m.read(m.here()), notice("Can't read the log: "+m.errorText(m.err)))
	case is(k.Top):
		return m.toTop()
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
		return m.step(-1)
	case is(k.MatchingOnly):
		return m.SetMatchingOnly(!m.only)
	case is(k.Wrap):
		m.wrap, m.left, m.topRow = !m.wrap, 0, 0
		if m.follow {
			m.toEnd()
		}
		m.settle()
	case is(k.Timestamps):
		m.times = !m.times
		return m.read(m.here())
	case is(k.LineNumbers):
		m.numbers = !m.numbers
		return m.read(m.here())
	case is(k.Select):
		return m.toggleSelect()
	case is(k.Copy):
		return m.copySelection()
	}
	return nil
}

// retries reports whether a key reads the log again after an error: one that goes somewhere, and in an
// empty view each but those that only change how lines are drawn.
func (m *Model) retries(is func(key.Binding) bool) bool {
	switch k := m.keys; {
	case is(k.Follow), is(k.Top), is(k.Bottom):
		return true
	case is(k.Wrap):
		return false
	}
	return len(m.lines) == 0
}

func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseWheelUp:
		return m.Scroll(-selection.WheelRows)
	case tea.MouseWheelDown:
		return m.Scroll(selection.WheelRows)
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
	m.at = p.Line
	m.sel = selected{Range: selection.Range[int64]{From: p, To: p, Pressed: true}}
	if times := m.clicked.Press(p, m.now()); times > 1 {
		m.sel.From.X, m.sel.To.X = m.stretchAt(p, times > 2)
		m.sel.On = m.sel.From.X <= m.sel.To.X
	}
	return cmd
}

// stretchAt returns the first and last glyph of the word at a character, or of the whole line,
// including its part that is not drawn.
func (m *Model) stretchAt(p pos, line bool) (first, last int) {
	i := m.indexOf(p.Line)
	d := m.glyphsOf(&m.lines[i])
	if line || p.X >= d.own {
		if d.own > 0 {
			return 0, maxCopyColumns
		}
		return 0, -1
	}
	class := selection.WordClass(d.part(p.X, p.X+1))
	first, last = p.X, p.X
	for first > 0 && selection.WordClass(d.part(first-1, first)) == class {
		first--
	}
	for last+1 < d.own && selection.WordClass(d.part(last+1, last+2)) == class {
		last++
	}
	for last > p.X && strings.Contains(".:?", d.part(last, last+1)) { // trailing punctuation ends a sentence
		last--
	}
	return first, last
}

func (m *Model) drag(ev tea.Mouse) {
	if !m.sel.Pressed {
		return
	}
	if p, ok := m.posAt(ev.X, max(0, min(ev.Y, m.h-1))); ok {
		m.sel.Extend(p)
		m.hold()
	}
}

func (m *Model) release(ev tea.Mouse) tea.Cmd {
	// The pointer may have moved since the last reported motion.
	p, ok := m.posAt(ev.X, max(0, min(ev.Y, m.h-1)))
	moved := p != m.clicked.Place
	dragging := m.sel.On && m.clicked.Times == 1
	if ok && (moved || dragging) {
		m.drag(ev)
	}
	dragged := m.sel.Pressed && m.sel.On
	m.sel.Pressed = false
	if !dragged {
		return nil
	}
	return m.copySelection()
}

// Source is the log that a view reads; *joblog.Log implements it. Its methods are called by
// commands, concurrently.
type Source interface {
	Size(ctx context.Context) (int64, error)
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	Window(ctx context.Context, off int64, before, after int) ([]joblog.Line, error)
	// Matching calls found with the range of each line that matches re, starting with the line
	// that contains the byte at from, for lines that begin before to.
	Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error
	TimeAt(ctx context.Context, off int64) (time.Time, bool)
	// LineNumber returns the number of a line that Window has returned without one.
	LineNumber(ctx context.Context, off int64) (int64, error)
}

var _ Source = (*joblog.Log)(nil)

// NoticeMsg carries a short notice to the user, for example that a search wrapped around.
type NoticeMsg struct{ Text string }
