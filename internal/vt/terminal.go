// Package vt is a terminal emulator without a user interface. It interprets the
// output of an application and maintains a screen of cells.
//
//	t := vt.New(80, 24, vt.WithScrollback(4<<20), vt.WithReply(toPTY))
//	t.Write(output)                     // never fails; output may be split anywhere
//	for y := range 24 {
//		for _, c := range t.Row(y) {    // valid until the next Write or Resize
//			draw(t.CellText(c), c.Width(), t.Style(c), t.Link(c))
//		}
//	}
//
// # Overview
//
// Input: [New], [Terminal.Write], [Terminal.Resize] (which reflows the main
// screen), [Terminal.SetFacts] (for replies to queries). A [Handler] is called for
// requests of the application other than drawing.
//
// State: [Terminal.Size], [Terminal.Cursor], [Terminal.Title],
// [Terminal.Modes], [Terminal.Row], [Terminal.Wrapped],
// [Terminal.ScrollbackLen], [Terminal.ScrollbackRow],
// [Terminal.ScrollbackRows], [Terminal.CellText], [Terminal.Style],
// [Terminal.Link]. As text: [Terminal.Text],
// [Terminal.ANSI], [Terminal.AppendANSI],
// [Style.AppendSGR]. [Terminal.MainANSI] returns the main screen with its scrollback
// even while the alternate screen is shown.
//
// Replication: [Terminal.Snapshot] returns a byte string that brings a new
// Terminal, or the user's terminal, into the same state. [Filter.ModeReset]
// restores the user's terminal.
//
// Typing: [Terminal.EncodeKey], [Terminal.EncodeMouse], [Terminal.EncodePaste] and
// [Terminal.EncodeFocus] return the bytes that the application expects in its
// current modes. [ParseKey] and [ParseKeys] parse tmux's names of keys.
//
// Streams: [Filter] removes queries from a stream, so that a terminal does not
// reply. [Strip] removes all escape sequences from a text. [RuneWidth]
// returns the width of a character in columns.
//
// # Rules
//
// A Terminal is not safe for concurrent use. It starts no goroutines and reads no
// clocks. Handlers and the reply function are called during Write, Resize and
// SetFacts, and must not call methods of the Terminal. Only one Terminal should
// reply to the queries of an application; all others have no reply function.
// Memory is bounded by the size and the limit of the scrollback for any input.
//
// # Conformance
//
// The model is xterm as a VT420, with extensions of newer terminals. The corpus
// has recorded programs, recorded by TestRecordCorpus, and the screens that tmux
// shows for them. testdata/differences.txt lists all screens that differ from tmux, with
// the reason. The width of text is computed by code point, or by grapheme cluster
// if the application sets mode 2027. An emoji with U+FE0F is always wide. The text
// of a cell is as wide as the cell.
package vt

import "cmp"

// Limits of a screen's size.
const (
	maxCols = 4096
	maxRows = 4096
)

// Terminal is an emulated terminal. It is not safe for concurrent use.
type Terminal struct {
	cols, rows int
	screens    [2]screen
	scr        *screen // the one shown: &screens[0] or &screens[1]
	cur        cursor
	top, bot   int // scrolling margins, inclusive
	left, rgt  int // horizontal margins, inclusive; the whole width unless DECLRMM
	tabs       []bool
	tabsSet    bool   // they are not the default ones
	spare      []*row // for the next alternate screen, without cells
	modes      modeSet
	savedModes modeSet
	plain      bool  // ASCII needs no translation: see updatePlain
	last       rune  // what REP repeats; 0 is nothing
	oneCell    uint8 // snapshots: 0 off, 1 begins a cell of its own, 2 adds to it

	parser   parser
	clusters clusterTable
	extras   extraTable
	history  scrollback

	note        notification // its parts so far
	title, icon string
	titles      []titles // XTPUSHTITLE
	pens        []Cell   // XTPUSHSGR
	palette     palette
	shape       uint8 // DECSCUSR, 0 to 6
	mouse       MouseMode
	mouseEnc    MouseEncoding
	modifyKeys  int   // XTMODKEYS resource 4
	conformance int   // DECSCL level 1 to 5
	checksums   uint8 // XTCHECKSUM
	rectExtent  uint8 // DECSACE: 2 is attribute changes of rectangles
	guarded     bool  // protection is that of SPA, not of DECSCA

	credit   int // see afford
	handler  Handler
	facts    Facts
	reply    func([]byte)
	out      []byte   // buffer of replies
	sized    int      // its length after the last report of the size; 0: none in it
	deferred []func() // replies that wait for pending facts
	scratch  []byte   // text of a cluster while it is put together
	moved    []*row   // rows that scroll out while others move
}

type titles struct{ title, icon string }

// screen is the main or the alternate screen.
type screen struct {
	rows  []*row
	dirty span   // the rows that may have content
	fill  Cell   // of all other rows: they are like after row.blank
	saved cursor // DECSC
	kitty kittyStack
}

// cursor is the state that DECSC saves.
type cursor struct {
	x, y    int
	pen     Cell // style of new text; ch is 0
	pending bool // at the edge: the next character wraps first
	origin  bool
	sets    [4]byte // designated character sets, by final byte
	gl      uint8
	single  uint8 // SS2, SS3: set for the next character, 0 is none
}

func newCursor() cursor { return cursor{sets: [4]byte{'B', 'B', 'B', 'B'}} }

type Option func(*Terminal)

// WithScrollback stores rows that leave the main screen at its top, in at most about
// the given number of bytes. The default is none.
func WithScrollback(bytes int) Option {
	return func(t *Terminal) { t.history.limit = bytes }
}

// WithReply sets the function that sends replies to the application. The slice is valid
// during the call. Without this option, queries get no reply.
func WithReply(reply func([]byte)) Option {
	return func(t *Terminal) { t.reply = reply }
}

// WithHandler sets the handler of requests other than drawing.
func WithHandler(h Handler) Option { return func(t *Terminal) { t.handler = h } }

// WithFacts sets the facts for replies to queries; see [Terminal.SetFacts].
func WithFacts(f Facts) Option { return func(t *Terminal) { t.facts = f } }

// New returns a blank terminal. Sizes below 1 or beyond 4096x4096 are clamped.
func New(cols, rows int, opts ...Option) *Terminal {
	t := &Terminal{cols: clamp(cols, 1, maxCols), rows: clamp(rows, 1, maxRows), credit: maxCredit}
	for _, o := range opts {
		o(t)
	}
	t.reset()
	return t
}

func clamp(v, lo, hi int) int { return max(lo, min(v, hi)) }

// within reports whether v is in the range from lo to hi, both inclusive.
func within[T cmp.Ordered](v, lo, hi T) bool { return lo <= v && v <= hi }

// reset is RIS. It keeps the scrollback.
func (t *Terminal) reset() {
	t.discardAlternate()
	for i := range t.screens {
		t.screens[i].saved, t.screens[i].kitty = newCursor(), kittyStack{}
	}
	t.scr = &t.screens[0]
	if t.scr.rows == nil {
		t.scr.rows = newRows(t.cols, t.rows)
	}
	t.scr.erase(0, t.rows, Cell{})
	t.history.open = false
	t.cur = newCursor()
	t.defaultTabs()
	t.modes, t.savedModes = defaultModes, defaultModes
	t.palette, t.pens, t.titles = palette{}, nil, nil
	t.shape, t.mouse, t.mouseEnc, t.modifyKeys = 0, MouseOff, MouseX10, 0
	t.conformance, t.rectExtent, t.checksums, t.guarded = 4, 0, 0, false
	t.last, t.oneCell = 0, 0
	t.note = notification{}
	t.clusters, t.extras = clusterTable{}, extraTable{}
	t.resetMargins()
	t.updatePlain()
}

func (t *Terminal) Size() (cols, rows int) { return t.cols, t.rows }

// CursorShape is the shape of the cursor.
type CursorShape uint8

// The shapes of a cursor. CursorDefault is the one that the user has configured.
const (
	CursorDefault CursorShape = iota
	CursorBlock
	CursorUnderline
	CursorBar
)

// Cursor is the position and the appearance of the cursor.
type Cursor struct {
	X, Y    int // from 0
	Visible bool
	Shape   CursorShape
	Blink   bool
}

func (t *Terminal) Cursor() Cursor {
	c := Cursor{X: t.cur.x, Y: t.cur.y, Visible: t.modes.has(modeCursor)}
	c.Shape = CursorShape((t.shape + 1) / 2)
	c.Blink = t.shape%2 == 1 || t.modes.has(modeCursorBlink)
	return c
}

// Title returns the window title that the application set last.
func (t *Terminal) Title() string { return t.title }

// Row returns the cells of row y of the current screen, counted from the top, nil if
// there is no such row. They are read-only and valid until the next Write or Resize.
func (t *Terminal) Row(y int) []Cell {
	if !within(y, 0, t.rows-1) {
		return nil
	}
	return t.scr.rows[y].all()
}

// Wrapped reports whether the text of row y continues in row y+1.
func (t *Terminal) Wrapped(y int) bool { return within(y, 0, t.rows-1) && t.scr.rows[y].wraps() }

func (t *Terminal) onAlt() bool { return t.scr == &t.screens[1] }

// Handler has functions that are called for requests of the application other than
// drawing. Each may be nil. They are called during Write.
type Handler struct {
	Title     func(title string)
	Bell      func()
	Notify    func(Notification)                  // OSC 9 (no title), OSC 99, OSC 777
	Progress  func(state Progress, percent int)   // OSC 9;4
	Cwd       func(uri string)                    // OSC 7, usually file://host/path
	Clipboard func(selection string, data []byte) // OSC 52, writes alone; nil data clears
	// Status is called for what a program reports of itself with OSC 7501; body is what follows the number.
	Status func(body string)
	// Prompt is called when a shell is about to show its prompt, and CommandEnded when the last command
	// of a shell has ended, with its exit code: OSC 133;A and OSC 133;D, and the same of OSC 633.
	Prompt       func()
	CommandEnded func(code int)
	// Reset is called when the application resets the terminal with RIS.
	Reset func()
}

// Progress is the state of a progress report, numbered as in OSC 9;4.
type Progress int

const (
	ProgressNone Progress = iota
	ProgressNormal
	ProgressError
	ProgressIndeterminate
	ProgressPaused
)

// Facts are properties of the user's terminal, which replies to queries are based on.
// The zero value of a field means unknown; the reply is a common value then (light
// gray on black; cells of 8 by 16 pixels).
type Facts struct {
	Foreground, Background Color // direct colors

	CellWidth, CellHeight int // pixels

	KittyKeyboard bool // supports the kitty keyboard protocol

	// Pending means that SetFacts will be called soon. Replies that depend on the facts,
	// and all replies after them, are deferred until then.
	Pending bool
}

// SetFacts replaces the facts, for example when another terminal attaches. It sends
// reports that the application has requested: of dark or light colors (mode 2031), and
// of the cell size in pixels (mode 2048).
func (t *Terminal) SetFacts(f Facts) {
	scheme, size := t.colorScheme(), [2]int{t.facts.CellWidth, t.facts.CellHeight}
	t.facts = f
	if t.modes.has(modeColorReports) && t.colorScheme() != scheme {
		t.reportColorScheme()
	}
	if t.modes.has(modeResizeReports) && size != [2]int{f.CellWidth, f.CellHeight} {
		t.reportSize()
	}
	if !f.Pending {
		t.sendDeferred()
	}
	t.flushReplies()
}

func (t *Terminal) Facts() Facts { return t.facts }
