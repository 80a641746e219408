// Package detail shows all that is known of one job, in words: what runs, where,
// since when, how it ended and why, and where its output lies.
package detail

import (
	"strings"
	"time"

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

	lines []string
	laid  bool // lines are those of the job and the width
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

// Update scrolls.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if rows, ok := m.keys.Rows(press, m.h); ok {
		m.Scroll(rows)
	}
	return nil
}

// Scroll moves the window by n lines.
func (m *Model) Scroll(n int) {
	m.lay()
	m.top = max(0, min(m.top+n, len(m.lines)-m.h))
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
	m.top = max(0, min(m.top, len(m.lines)-m.h))
	return strings.Join(cells.Block(m.lines[m.top:], m.w, m.h), "\n")
}

// Head is the first n lines alone, in w columns: what a narrow screen shows
// above the log.
func (m *Model) Head(w, n int) []string {
	if !m.shown {
		return cells.Block(nil, w, n)
	}
	return cells.Block(m.head(w), w, n)
}

func (m *Model) lay() {
	if m.laid {
		return
	}
	m.laid = true
	m.lines = nil
	if m.shown {
		m.lines = m.all(m.w)
	}
}
