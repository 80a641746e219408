// Package joblist is the list of jobs: one row each, by need, filtered as one
// types, with a selection that stays on its job whatever moves around it.
//
//	list := joblist.New(keys.List, styles.List, badges, glyphs)
//	list.SetSize(46, 20)
//	list.Put(joblist.Row{Job: job})
//	text := list.View() // 46 by 20 cells
//
// Rows are put and dropped one by one, so that a change costs what changed. Only
// the rows in the window are drawn, and only when something that they show has
// changed. It moves its selection; what is done to jobs is decided elsewhere.
// A list belongs to one goroutine.
package joblist

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// Row is one job and what the screen knows of it beyond the engine.
type Row struct {
	Job engine.Job
	// Unread counts what happened that nobody looked at.
	Unread int
	// Trace is recent activity, oldest first, in eighths: 0 to 8. Nil shows
	// none.
	Trace []uint8
}

// Model is the list.
type Model struct {
	keys   keymap.List
	styles themes.List
	glyphs themes.Glyphs
	badge  statusbadge.Badge

	w, h    int
	focused bool
	now     time.Time
	coarse  bool

	rows   map[engine.ID]*row
	order  []*row // all rows, sorted
	shown  []*row // those that pass the filter
	sort   Sort
	filter filter

	selected engine.ID
	at       int // place of the selection in shown
	top      int
	hosts    int    // rows on another machine
	start    string // the key that starts a job
	hints    []string
	paints   paints

	stale bool // order and shown do not reflect rows
	view  string
	drawn bool
}

type row struct {
	Row
	marked  bool
	matched []int // places in the name that the filter matched, in bytes
}

// Option tunes a list.
type Option func(*Model)

// WithMinutes shows times in minutes, so that nothing moves each second.
func WithMinutes(on bool) Option { return func(m *Model) { m.coarse = on } }

// New returns an empty list of no size.
func New(keys keymap.List, styles themes.List, badge statusbadge.Badge, glyphs themes.Glyphs, opts ...Option) *Model {
	m := &Model{keys: keys, styles: styles, badge: badge, glyphs: glyphs, rows: map[engine.ID]*row{}}
	for _, opt := range opts {
		opt(m)
	}
	m.mix()
	return m
}

// SetStyles replaces styles and glyphs.
func (m *Model) SetStyles(styles themes.List, badge statusbadge.Badge, glyphs themes.Glyphs) {
	m.styles, m.badge, m.glyphs, m.drawn = styles, badge, glyphs, false
	m.mix()
}

// SetSize sets the number of columns and rows to fill.
func (m *Model) SetSize(w, h int) {
	w, h = max(0, w), max(0, h)
	if w != m.w || h != m.h {
		m.w, m.h, m.drawn = w, h, false
		m.scroll()
	}
}

// SetHints sets the key that starts a job (empty: there is none) and the lines that
// stand under the words of an empty list.
func (m *Model) SetHints(start string, lines ...string) {
	m.start, m.hints, m.drawn = start, lines, false
}

// SetNow sets the time that uptimes are counted to.
func (m *Model) SetNow(now time.Time) {
	if !now.Equal(m.now) {
		m.now, m.drawn = now, false
	}
}

// Focus shows that the list has the keyboard.
func (m *Model) Focus() { m.focused, m.drawn = true, m.drawn && m.focused }

// Blur shows that it has not.
func (m *Model) Blur() { m.focused, m.drawn = false, m.drawn && !m.focused }

// Put adds a row or replaces the one of the same job.
func (m *Model) Put(r Row) {
	old, ok := m.rows[r.Job.ID]
	if !ok {
		m.rows[r.Job.ID] = &row{Row: r}
		m.hosts += remote(r.Job)
		m.stale, m.drawn = true, false
		return
	}
	m.stale = m.stale || m.moves(old.Job, r.Job)
	m.hosts += remote(r.Job) - remote(old.Job)
	old.Row = r
	m.drawn = false
}

// Drop removes the row of a job.
func (m *Model) Drop(id engine.ID) {
	r, ok := m.rows[id]
	if !ok {
		return
	}
	m.hosts -= remote(r.Job)
	delete(m.rows, id)
	m.stale, m.drawn = true, false
}

func remote(j engine.Job) int {
	if j.Host != "" {
		return 1
	}
	return 0
}

// Len returns the number of jobs, and of those that the filter leaves.
func (m *Model) Len() (all, shown int) {
	m.settle()
	return len(m.rows), len(m.shown)
}

// Window returns which of the rows that the filter leaves are seen: the first
// of them, how many there is room for, and the place of the selected one.
func (m *Model) Window() (top, room, at int) {
	m.settle()
	return m.top, m.h, m.at
}

// Selected returns the job of the selected row.
func (m *Model) Selected() (engine.Job, bool) {
	m.settle()
	if m.at >= len(m.shown) {
		return engine.Job{}, false
	}
	return m.shown[m.at].Job, true
}

// Select moves the selection to a job; false if it is not in the list or the
// filter hides it.
func (m *Model) Select(id engine.ID) bool {
	m.settle()
	for i, r := range m.shown {
		if r.Job.ID == id {
			m.move(i)
			return true
		}
	}
	return false
}

// SelectAt moves the selection to the row drawn at line y.
func (m *Model) SelectAt(y int) bool {
	m.settle()
	if y < 0 || y >= m.h || m.top+y >= len(m.shown) {
		return false
	}
	m.move(m.top + y)
	return true
}

// ToggleMark marks or unmarks the selected row and goes on to the next.
func (m *Model) ToggleMark() {
	m.settle()
	if m.at >= len(m.shown) {
		return
	}
	m.shown[m.at].marked = !m.shown[m.at].marked
	m.drawn = false
	m.move(m.at + 1)
}

// Unmark removes all marks; it reports whether there were any.
func (m *Model) Unmark() bool {
	any := false
	for _, r := range m.rows {
		any = any || r.marked
		r.marked = false
	}
	m.drawn = m.drawn && !any
	return any
}

// Marked returns the marked jobs in the order shown. Marks of rows that the
// filter hides do not count: what cannot be seen is not acted on.
func (m *Model) Marked() []engine.Job {
	m.settle()
	var jobs []engine.Job
	for _, r := range m.shown {
		if r.marked {
			jobs = append(jobs, r.Job)
		}
	}
	return jobs
}

// Scroll moves the window by n rows, the selection staying in it: the wheel.
func (m *Model) Scroll(n int) {
	m.settle()
	top := max(0, min(m.top+n, len(m.shown)-m.h))
	if top == m.top {
		return
	}
	m.top, m.drawn = top, false
	m.at = max(m.top, min(m.at, m.top+m.h-1))
	m.selected = m.shown[m.at].Job.ID
}

// Update moves the selection.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	m.settle()
	if rows, ok := m.keys.Rows(press, m.h); ok {
		m.move(m.at + rows)
	}
	return nil
}

// move puts the selection on row i, or the nearest there is.
func (m *Model) move(i int) {
	i = max(0, min(i, len(m.shown)-1))
	if len(m.shown) == 0 {
		m.at, m.selected = 0, ""
		return
	}
	if id := m.shown[i].Job.ID; i != m.at || id != m.selected {
		m.at, m.selected, m.drawn = i, id, false
	}
	m.scroll()
}

// scroll keeps the selection in the window and the window on the rows.
func (m *Model) scroll() {
	top := m.top
	if m.h > 0 {
		top = max(top, m.at-m.h+1)
	}
	top = min(top, m.at)
	top = max(0, min(top, len(m.shown)-m.h))
	if top != m.top {
		m.top, m.drawn = top, false
	}
}

// Cursor is where the terminal's cursor belongs, so that screen readers and
// magnifiers follow: on the selected row. Nil without rows.
func (m *Model) Cursor() *tea.Cursor {
	m.settle()
	if len(m.shown) == 0 || m.w == 0 || m.at-m.top >= m.h {
		return nil
	}
	return tea.NewCursor(0, m.at-m.top)
}
