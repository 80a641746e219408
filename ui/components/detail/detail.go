// Package detail shows all that is known of one job, in words: what runs, where,
// since when, how it ended and why, and where its output lies.
package detail

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// Model is the detail of one job. It belongs to one goroutine.
type Model struct {
	keys   keymap.Detail
	styles themes.Detail
	glyphs themes.Glyphs
	badge  statusbadge.Badge
	home   string
	coarse bool

	waits string // what is said of a job that waits

	job   engine.Job
	shown bool // there is a job
	now   time.Time
	w, h  int
	top   int
	focus bool

	lines []string
	view  string
	laid  bool
	drawn bool
}

// Option tunes a detail.
type Option func(*Model)

// WithHome abbreviates paths below a home directory to "~".
func WithHome(dir string) Option { return func(m *Model) { m.home = dir } }

// WithMinutes shows times in minutes, so that nothing moves each second.
func WithMinutes(on bool) Option { return func(m *Model) { m.coarse = on } }

// WithWaits says of a job that waits how it gets its input: "for input: a attaches".
func WithWaits(text string) Option { return func(m *Model) { m.waits = text } }

// New returns a detail of nothing.
func New(keys keymap.Detail, styles themes.Detail, badge statusbadge.Badge, glyphs themes.Glyphs, opts ...Option) *Model {
	m := &Model{keys: keys, styles: styles, badge: badge, glyphs: glyphs, waits: "for input"}
	for _, opt := range opts {
		opt(m)
	}
	return m
}

// SetStyles replaces styles and glyphs.
func (m *Model) SetStyles(styles themes.Detail, badge statusbadge.Badge, glyphs themes.Glyphs) {
	m.styles, m.badge, m.glyphs, m.laid = styles, badge, glyphs, false
}

// SetSize sets the number of columns and rows to fill.
func (m *Model) SetSize(w, h int) {
	w, h = max(0, w), max(0, h)
	if w != m.w || h != m.h {
		m.w, m.h, m.laid = w, h, false
	}
}

// SetNow sets the time that uptimes are counted to; its zone is the one that
// times are shown in.
func (m *Model) SetNow(now time.Time) {
	if !now.Equal(m.now) {
		m.now, m.laid = now, false
	}
}

// SetJob shows a job; another one from its top.
func (m *Model) SetJob(j engine.Job) {
	if j.ID != m.job.ID {
		m.top = 0
	}
	m.job, m.shown, m.laid = j, true, false
}

// Clear shows nothing.
func (m *Model) Clear() { m.job, m.shown, m.laid = engine.Job{}, false, false }

// Focus takes the keyboard.
func (m *Model) Focus() { m.focus = true }

// Blur gives it up.
func (m *Model) Blur() { m.focus = false }

// Update scrolls.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	k := m.keys
	switch {
	case keymap.Match(press, k.Up):
		m.Scroll(-1)
	case keymap.Match(press, k.Down):
		m.Scroll(1)
	case keymap.Match(press, k.HalfPageUp):
		m.Scroll(-max(1, m.h/2))
	case keymap.Match(press, k.HalfPageDown):
		m.Scroll(max(1, m.h/2))
	case keymap.Match(press, k.PageUp):
		m.Scroll(-max(1, m.h-1))
	case keymap.Match(press, k.PageDown):
		m.Scroll(max(1, m.h-1))
	case keymap.Match(press, k.Top):
		m.Scroll(-m.top)
	case keymap.Match(press, k.Bottom):
		m.lay()
		m.Scroll(len(m.lines))
	}
	return nil
}

// Scroll moves the window by n lines.
func (m *Model) Scroll(n int) {
	m.lay()
	top := max(0, min(m.top+n, len(m.lines)-m.h))
	if top != m.top {
		m.top, m.drawn = top, false
	}
}

// More is the number of lines below the window.
func (m *Model) More() int {
	m.lay()
	return max(0, len(m.lines)-m.top-m.h)
}

// Lines is how many lines the whole detail has.
func (m *Model) Lines() int {
	m.lay()
	return len(m.lines)
}

// View draws the detail in exactly its size.
func (m *Model) View() string {
	m.lay()
	if m.drawn {
		return m.view
	}
	m.top = max(0, min(m.top, len(m.lines)-m.h))
	m.view = strings.Join(cells.Block(m.lines[m.top:], m.w, m.h), "\n")
	m.drawn = true
	return m.view
}

// Head is the first n lines alone, in w columns: what a narrow screen shows
// above the log.
func (m *Model) Head(w, n int) []string {
	if !m.shown {
		return cells.Block(nil, w, n)
	}
	return cells.Block(m.head(w), w, n)
}

// Cursor is nil: nothing in a detail is pointed at.
func (m *Model) Cursor() *tea.Cursor { return nil }

func (m *Model) lay() {
	if m.laid {
		return
	}
	m.laid, m.drawn = true, false
	m.lines = nil
	if m.shown {
		m.lines = m.all(m.w)
	}
}

// ShortHelp returns the keys to name first.
func (m *Model) ShortHelp() []key.Binding { return []key.Binding{m.keys.Up, m.keys.Down} }

// FullHelp returns all keys of the detail.
func (m *Model) FullHelp() [][]key.Binding {
	k := m.keys
	return [][]key.Binding{{k.Up, k.Down, k.Top, k.Bottom, k.HalfPageUp, k.HalfPageDown, k.PageUp, k.PageDown}}
}
