// Package terminal shows a job's live screen and turns what a person types and
// clicks into the bytes that the job expects.
//
// The owner feeds it the chunks of a session ([Model.Feed]) and takes what was
// typed ([Model.TakeInput]) after every Update, in order; the component itself
// never calls anything that could block.
//
// A component belongs to the goroutine of its program's Update and View.
package terminal

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/clicks"
)

// scrollbackBytes bounds the history kept for scrolling back while attached;
// the whole of it is in the log.
const scrollbackBytes = 2 << 20

// CopyMsg carries text that the person selected.
type CopyMsg struct{ Text string }

// Model is a live terminal.
type Model struct {
	styles themes.Terminal
	vt     *vt.Terminal
	w, h   int
	focus  bool

	tellsEscape bool // see SetTellsEscape
	byCluster   bool // see SetByCluster

	controller string
	control    bool
	ended      bool // the session said so

	back int // rows scrolled back from the live screen
	sel  selection

	reading reading

	clicked clicks.Counter

	input []byte // typed and not yet taken

	frame   string
	held    holding
	clock   func() time.Time
	drawn   drawnState
	rows    []string // rendered rows of the screen
	rowGen  []uint64
	builder []byte
	scratch []vt.Cell
}

// New returns a terminal of no size that shows nothing.
func New(styles themes.Terminal) *Model {
	m := &Model{styles: styles, clock: time.Now}
	m.vt = newEmulator(engine.Size{Cols: 80, Rows: 24})
	return m
}

func newEmulator(s engine.Size) *vt.Terminal {
	return vt.New(max(1, s.Cols), max(1, s.Rows), vt.WithScrollback(scrollbackBytes))
}

// SetSize sets the size of the view in cells. The job's own size is its
// session's business: see Size.
func (m *Model) SetSize(w, h int) {
	m.w, m.h = max(0, w), max(0, h)
	m.invalidate()
}

// Size is the size of the view, the one that a session should ask for.
func (m *Model) Size() engine.Size { return engine.Size{Cols: m.w, Rows: m.h} }

// Focus gives the keyboard to the job.
func (m *Model) Focus() { m.setFocus(true) }

// Blur takes the keyboard from the job.
func (m *Model) Blur() { m.setFocus(false) }

func (m *Model) setFocus(on bool) {
	if m.focus == on {
		return
	}
	m.focus = on
	if m.vt.Modes().FocusEvents {
		m.queueInput(m.vt.EncodeFocus(on))
	}
}

// SetStyles changes the styles.
func (m *Model) SetStyles(s themes.Terminal) {
	m.styles = s
	m.invalidate()
}

// Reset forgets the screen, for another job.
func (m *Model) Reset() {
	m.vt = newEmulator(m.Size())
	m.ended, m.controller, m.control = false, "", false
	m.back, m.sel, m.reading, m.input = 0, selection{}, reading{}, nil
	m.invalidate()
}

// Feed takes one chunk of the session.
func (m *Model) Feed(c engine.TerminalChunk) {
	if c.Reset {
		m.vt = newEmulator(c.Size)
		m.back, m.sel, m.reading = 0, selection{}, reading{}
		m.invalidate()
	} else if cols, rows := m.vt.Size(); c.Size != (engine.Size{}) && (c.Size.Cols != cols || c.Size.Rows != rows) {
		m.vt.Resize(c.Size.Cols, c.Size.Rows)
		m.sel, m.reading = selection{}, reading{}
	}
	m.write(c.Data)
	if len(c.Data) > 0 && m.sel.done {
		m.sel = selection{}
	}
	m.controller, m.control = c.Controller, c.Control
	m.ended = m.ended || c.Exit != nil
}

// write shows output. What is being read or marked stays where it is, while the
// oldest rows of the scrollback may go.
func (m *Model) write(p []byte) {
	defer m.noteSynchronized()
	if m.back == 0 && !m.sel.on && !m.sel.pressed && !m.reading.on {
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
		m.reading.at.line = max(0, m.reading.at.line-gone)
	}
}

// Controller names who types, and whether that is this session.
func (m *Model) Controller() (name string, us bool) { return m.controller, m.control }

// Text is the screen as text.
func (m *Model) Text() string { return m.vt.Text() }

// Title is what the job calls its window.
func (m *Model) Title() string { return m.vt.Title() }

// ScrolledBack is how many rows above the live screen the view stands.
func (m *Model) ScrolledBack() int { return m.back }

// WantsMouse reports whether the job asked for the mouse.
func (m *Model) WantsMouse() bool { return m.vt.Modes().Mouse != vt.MouseOff }

// TakeInput returns what was typed since the last call.
func (m *Model) TakeInput() []byte {
	p := m.input
	m.input = nil
	return p
}

func (m *Model) queueInput(p []byte) { m.input = append(m.input, p...) }

// Cursor is the job's cursor relative to the view, or while the person reads back
// the place from which text is marked; nil when it is not to be seen.
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

// holdLimit is how long a synchronised update may keep the screen before it: a
// job that never ends one must not freeze the view.
const holdLimit = 150 * time.Millisecond

// holding is what stays on screen during a synchronised update of the job.
type holding struct {
	since  time.Time // the update began, or was last shown half done; zero outside of one
	cursor vt.Cursor // of the frame drawn
}

// noteSynchronized keeps the time at which an update began.
func (m *Model) noteSynchronized() {
	switch on := m.vt.Modes().Synchronized; {
	case !on:
		m.held.since = time.Time{}
	case m.held.since.IsZero():
		m.held.since = m.clock()
	}
}

// holds reports whether the frame drawn is still the one to show: the job is
// changing the screen and the person did not.
func (m *Model) holds() bool {
	return m.drawn.ok && m.vt.Modes().Synchronized && m.back == m.drawn.back && m.sel == m.drawn.sel &&
		m.clock().Sub(m.held.since) < holdLimit
}
