// Package terminal shows a job's live screen and converts keys and mouse events to the bytes that
// the job expects.
//
// The owner passes the chunks of a session to [Model.Feed], and after every Update sends the
// result of [Model.TakeInput] to the job, in order. The component makes no blocking calls.
//
// A Model must be used only in the goroutine of its program's Update and View.
package terminal

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/selection"
)

// scrollbackBytes limits the scrollback while attached; the log has all output.
const scrollbackBytes = 2 << 20

// Model is a live terminal.
type Model struct {
	styles *themes.Styles
	vt     *vt.Terminal
	w, h   int
	focus  bool

	distinctEscape bool // see SetDistinctEscape
	byCluster      bool // see SetByCluster

	controller string
	control    bool
	ended      bool // the session has ended

	viewpoint

	clicked selection.Clicks

	input []byte // typed but not taken yet

	held    holding
	clock   func() time.Time
	scratch []vt.Cell
}

// viewpoint is what the user looks at: the zero value is the live screen with nothing selected.
type viewpoint struct {
	back    int // number of rows scrolled back
	sel     selected
	reading reading
}

// New returns an empty terminal of size 0.
func New(styles *themes.Styles) *Model {
	m := &Model{styles: styles, clock: time.Now}
	m.vt = newEmulator(engine.Size{Cols: 80, Rows: 24})
	return m
}

func newEmulator(s engine.Size) *vt.Terminal {
	return vt.New(max(1, s.Cols), max(1, s.Rows), vt.WithScrollback(scrollbackBytes))
}

// SetSize sets the size of the view in cells. The owner's session resizes the job: see Size.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(0, w), max(0, h)
	m.held.frame = ""
}

// Size returns the size of the view, which a session should request for the job.
func (m *Model) Size() engine.Size { return engine.Size{Cols: m.w, Rows: m.h} }

// SetFocus sets whether the job receives keys.
func (m *Model) SetFocus(on bool) {
	if m.focus == on {
		return
	}
	m.focus = on
	if m.vt.Modes().FocusEvents {
		m.queueInput(m.vt.EncodeFocus(on))
	}
}

// Reset clears the screen, for another job.
func (m *Model) Reset() {
	m.vt = newEmulator(m.Size())
	m.ended, m.controller, m.control = false, "", false
	m.viewpoint, m.input, m.held = viewpoint{}, nil, holding{}
}

// Feed handles one chunk of the session.
func (m *Model) Feed(c engine.TerminalChunk) {
	switch cols, rows := m.vt.Size(); {
	case c.Reset:
		m.vt = newEmulator(c.Size)
		m.viewpoint, m.held.frame = viewpoint{}, ""
	case c.Size == engine.Size{}, c.Size == engine.Size{Cols: cols, Rows: rows}: // no new size
	default:
		m.vt.Resize(c.Size.Cols, c.Size.Rows)
		m.sel, m.reading = selected{}, reading{}
	}
	m.write(c.Data)
	if len(c.Data) > 0 && m.sel.done {
		m.sel = selected{}
	}
	m.controller, m.control = c.Controller, c.Control
	if c.Exit != nil {
		m.ended = true
	}
}

// write shows output. A scrolled-back view and a selection keep their text, even if old rows of
// the scrollback are discarded.
func (m *Model) write(p []byte) {
	defer m.noteSynchronized()
	if m.viewpoint == (viewpoint{}) {
		m.vt.Write(p)
		return
	}
	lines, pushed := m.vt.ScrollbackLen(), m.vt.ScrollbackPushed()
	m.vt.Write(p)
	after, moved := m.vt.ScrollbackLen(), int(m.vt.ScrollbackPushed()-pushed)
	if m.back > 0 {
		m.back = min(m.back+moved, after)
	}
	if gone := lines + moved - after; gone > 0 {
		m.sel.shift(gone)
		m.reading.at.Line = max(0, m.reading.at.Line-gone)
	}
}

// Controller returns the name of the client that controls the job, and whether it is this
// session.
func (m *Model) Controller() (name string, us bool) { return m.controller, m.control }

// Text returns the text on the screen.
func (m *Model) Text() string { return m.vt.Text() }

// Title returns the window title set by the job.
func (m *Model) Title() string { return m.vt.Title() }

// ScrolledBack returns the number of rows that the view is scrolled back.
func (m *Model) ScrolledBack() int { return m.back }

// TakeInput returns the input typed since the last call.
func (m *Model) TakeInput() []byte {
	p := m.input
	m.input = nil
	return p
}

func (m *Model) queueInput(p []byte) { m.input = append(m.input, p...) }

// Cursor returns the job's cursor, relative to the view. While the user is scrolled back it
// returns where a selection would start or end. It returns nil if the cursor is not visible.
func (m *Model) Cursor() *tea.Cursor {
	if !m.focus || m.ended {
		return nil
	}
	if m.reading.on {
		return m.cursorAt(m.reading.at.X-m.firstCol(), m.reading.at.Line-m.absLine(0))
	}
	c := m.vt.Cursor()
	if m.holds() {
		c = m.held.cursor
	}
	if m.back > 0 || !c.Visible {
		return nil
	}
	cur := m.cursorAt(c.X-m.firstCol(), c.Y-m.firstRow())
	if cur == nil {
		return nil
	}
	cur.Blink = c.Blink
	switch c.Shape {
	case vt.CursorUnderline:
		cur.Shape = tea.CursorUnderline
	case vt.CursorBar:
		cur.Shape = tea.CursorBar
	default:
		cur.Shape = tea.CursorBlock
	}
	return cur
}

// cursorAt returns a steady block cursor; nil outside of the view.
func (m *Model) cursorAt(x, y int) *tea.Cursor {
	columns, rows := span{0, m.w}, span{0, m.h}
	if !columns.contains(x) || !rows.contains(y) {
		return nil
	}
	cur := tea.NewCursor(x, y)
	cur.Blink = false
	return cur
}

// clamp returns the position of 0 to size-1 that is nearest to x.
func clamp(x, size int) int { return max(0, min(x, size-1)) }

// holdLimit is how long a synchronized update may delay drawing: a job that never ends an update
// must not freeze the view.
const holdLimit = 150 * time.Millisecond

// holding is the last frame, which stays on screen during a synchronized update of the job.
type holding struct {
	since  time.Time // start of the update, or time when its unfinished state was last shown; zero outside of one
	frame  string
	cursor vt.Cursor
	viewpoint
}

// noteSynchronized records when an update begins.
func (m *Model) noteSynchronized() {
	switch on := m.vt.Modes().Synchronized; {
	case !on:
		m.held.since = time.Time{}
	case m.held.since.IsZero():
		m.held.since = m.clock()
	}
}

// holds reports whether to keep the last frame: the job is updating the screen, and the user has
// not changed the view.
func (m *Model) holds() bool {
	if m.held.frame == "" || m.viewpoint != m.held.viewpoint {
		return false
	}
	return m.vt.Modes().Synchronized && m.clock().Sub(m.held.since) < holdLimit
}
