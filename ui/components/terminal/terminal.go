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

	back int // number of rows scrolled back
	sel  selected

	reading reading

	clicked selection.Clicks

	input []byte // typed but not taken yet

	held    holding
	clock   func() time.Time
	scratch []vt.Cell
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
	m.back, m.sel, m.reading, m.input, m.held = 0, selected{}, reading{}, nil, holding{}
}

// Feed handles one chunk of the session.
func (m *Model) Feed(c engine.TerminalChunk) {
	if c.Reset {
		m.vt = newEmulator(c.Size)
		m.back, m.sel, m.reading, m.held.frame = 0, selected{}, reading{}, ""
	} else if cols, rows := m.vt.Size(); c.Size != (engine.Size{}) && (c.Size.Cols != cols || c.Size.Rows != rows) {
		m.vt.Resize(c.Size.Cols, c.Size.Rows)
		m.sel, m.reading = selected{}, reading{}
	}
	m.write(c.Data)
	if len(c.Data) > 0 && m.sel.done {
		m.sel = selected{}
	}
	m.controller, m.control = c.Controller, c.Control
	m.ended = m.ended || c.Exit != nil
}

// write shows output. A scrolled-back view and a selection keep their text, even if old rows of
// the scrollback are discarded.
func (m *Model) write(p []byte) {
	defer m.noteSynchronized()
	if m.back == 0 && !m.sel.On && !m.sel.Pressed && !m.reading.on {
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
	c := m.vt.Cursor()
	if m.focus && m.reading.on && !m.ended {
		return m.readingCursor()
	}
	if m.holds() {
		c = m.held.cursor
	}
	if !m.focus || m.ended || m.back > 0 || !c.Visible {
		return nil
	}
	x, y := c.X-m.firstCol(), c.Y-m.firstRow()
	if x < 0 || y < 0 || x >= m.w || y >= m.h {
		return nil
	}
	cur := tea.NewCursor(x, y)
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

// holdLimit is how long a synchronized update may delay drawing: a job that never ends an update
// must not freeze the view.
const holdLimit = 150 * time.Millisecond

// holding is the last frame, which stays on screen during a synchronized update of the job.
type holding struct {
	since  time.Time // start of the update, or time when its unfinished state was last shown; zero outside of one
	frame  string
	cursor vt.Cursor
	back   int
	sel    selected
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
	return m.held.frame != "" && m.vt.Modes().Synchronized && m.back == m.held.back && m.sel == m.held.sel &&
		m.clock().Sub(m.held.since) < holdLimit
}
