// Package logview shows a job's output as lines, however large it is: it reads
// the window on the screen and a little around it, never the whole.
//
// The owner gives it a [Source] and tells it when the log has grown
// ([Model.Grown]). All reading happens in commands, so Update and View never
// wait for a disk or a network. Places in the log are byte offsets, so nothing
// shifts under the reader while the job goes on.
//
// Job output is drawn, never passed on: each line goes through an emulator of
// one row, and only its cells reach the screen.
//
// A component belongs to the goroutine of its program's Update and View.
package logview

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/clicks"
)

// Model is a log view.
type Model struct {
	keys   keymap.Log
	styles themes.Log
	glyphs themes.Glyphs
	zone   *time.Location
	w, h   int
	focus  bool

	// ctx ends when the source is replaced or the view closed: it bounds the
	// commands that read the source, which outlive the calls that made them.
	ctx    context.Context
	cancel context.CancelFunc
	src    Source
	gen    int // of the source; answers of an earlier one are dropped
	empty  string
	err    error

	size   int64   // how far the log reaches, as last heard
	lines  []entry // a contiguous part of the log
	top    int     // index in lines of the line on the first row
	topRow int     // rows of that line above the first row
	debt   int     // rows still to scroll when more lines have come
	busy   bool    // a window is being read
	again  *place  // and this one wanted after it
	head   bool    // lines begin at the start of the log (of what is shown of it)
	tail   bool    // and reach its end

	follow  bool
	seen    int64 // how far the log reached when following stopped
	counted int64 // new lines are counted up to here
	fresh   int   // new lines since
	freshUp bool  // there are more than fresh

	wrap, numbers, times bool
	left                 int // columns scrolled to the right

	query query
	only  bool // matching lines alone
	sel   selection

	words   func(error) string
	now     func() time.Time
	clicked clicks.Counter

	emu   lineEmulator
	frame string
	dirty bool
}

// entry is a line of the window.
type entry struct {
	engine.Line
	at     time.Time
	number int64
	drawn  *drawing // nil: not yet
	hits   [][2]int
	hitGen int
}

// place is a window to be read: which part, and where to put it.
type place struct {
	off    int64
	where  where
	rows   int  // of the view, that much is read before and after
	follow bool // off is the end, wherever that is by then
}

type where int

const (
	keep    where = iota // the line on the first row stays there
	atTop                // the line at off on the first row
	atThird              // the line at off a third down
	atEnd                // the last line on the last row
)

// Option changes a view at its making.
type Option func(*Model)

// WithWrap begins with long lines wrapped.
func WithWrap(on bool) Option { return func(m *Model) { m.wrap = on } }

// WithTimestamps begins with the time of each line shown.
func WithTimestamps(on bool) Option { return func(m *Model) { m.times = on } }

// WithLineNumbers begins with the number of each line shown.
func WithLineNumbers(on bool) Option { return func(m *Model) { m.numbers = on } }

// WithClock replaces time.Now, by which clicks count as double ones.
func WithClock(now func() time.Time) Option { return func(m *Model) { m.now = now } }

// WithWords says how an error is told to a person (default: its own words).
func WithWords(say func(error) string) Option { return func(m *Model) { m.words = say } }

// New returns a view of nothing.
func New(keys keymap.Log, styles themes.Log, glyphs themes.Glyphs, opts ...Option) *Model {
	m := &Model{keys: keys, styles: styles, glyphs: glyphs, zone: time.Local, now: time.Now, empty: "No output yet."}
	m.words = func(err error) string { return cells.Clean(err.Error()) }
	m.ctx, m.cancel = context.WithCancel(context.Background())
	for _, o := range opts {
		o(m)
	}
	return m
}

// SetSource shows another log from its end, following it or not. Nil shows
// nothing. The caller closes the source that it replaces after Update returned.
func (m *Model) SetSource(src Source, follow bool) tea.Cmd {
	m.cancel()
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.gen++
	m.src, m.err = src, nil
	m.size, m.lines, m.top, m.topRow, m.debt, m.head, m.tail = 0, nil, 0, 0, 0, false, false
	m.busy, m.again = false, nil
	m.follow, m.seen, m.counted, m.fresh, m.freshUp, m.left = follow, 0, 0, 0, false, 0
	m.sel, m.only = selection{}, false
	m.query.forget()
	m.dirty = true
	if src == nil {
		return nil
	}
	return tea.Batch(m.read(place{where: atEnd, follow: true}), m.rescan())
}

// Close ends what is under way.
func (m *Model) Close() { m.cancel() }

// SetEmpty sets what stands in place of an empty log.
func (m *Model) SetEmpty(text string) { m.empty, m.dirty = text, true }

// SetSize sets the size in cells.
func (m *Model) SetSize(w, h int) tea.Cmd {
	if w == m.w && h == m.h {
		return nil
	}
	grew := h > m.h
	m.w, m.h, m.dirty = max(0, w), max(0, h), true
	if m.src == nil {
		return nil
	}
	if m.follow {
		m.toEnd()
	} else {
		m.settle()
	}
	if grew {
		return m.read(m.here())
	}
	return nil
}

// Focus and Blur say whether the view has the keyboard.
func (m *Model) Focus() { m.focus, m.dirty = true, true }

// Blur takes the keyboard away.
func (m *Model) Blur() { m.focus, m.dirty = false, true }

// SetStyles changes the looks.
func (m *Model) SetStyles(s themes.Log, g themes.Glyphs) { m.styles, m.glyphs, m.dirty = s, g, true }

// Err is why the log could not be read when that was last tried, or nil.
func (m *Model) Err() error { return m.err }

// Following reports whether the view stays at the end of the log.
func (m *Model) Following() bool { return m.follow }

// LastLine is the text of the last line of the log, as far as it has been read: what
// a job that waits asks.
func (m *Model) LastLine() string {
	if !m.tail || len(m.lines) == 0 {
		return ""
	}
	d := m.glyphsOf(&m.lines[len(m.lines)-1])
	return d.part(0, d.own)
}

// SetFollow goes to the end and stays there, or stays here.
func (m *Model) SetFollow(on bool) tea.Cmd {
	if !on {
		m.unfollow()
		return nil
	}
	m.follow, m.fresh, m.freshUp, m.dirty = true, 0, false, true
	return m.read(place{where: atEnd, follow: true})
}

func (m *Model) unfollow() {
	if m.follow {
		m.follow, m.seen, m.counted, m.fresh, m.freshUp, m.dirty = false, m.size, m.size, 0, false, true
	}
}

// NewLines is how many lines came since following stopped; more reports that it
// is at least that many.
func (m *Model) NewLines() (n int, more bool) { return m.fresh, m.freshUp }

// Size is how far the log reaches in bytes, as last heard.
func (m *Model) Size() int64 { return m.size }

// Percent is how much of the log lies above the last row, from 0 to 100.
func (m *Model) Percent() int {
	if m.size == 0 || len(m.lines) == 0 {
		return 100
	}
	return int(100 * m.lines[m.bottom()].End / m.size)
}

// Wrap reports whether long lines are wrapped.
func (m *Model) Wrap() bool { return m.wrap }

// MatchingOnly reports whether only lines that match the search are shown.
func (m *Model) MatchingOnly() bool { return m.only }

// JumpPercent goes to a place in the log.
func (m *Model) JumpPercent(p int) tea.Cmd {
	m.unfollow()
	return m.read(place{off: m.size * int64(max(0, min(100, p))) / 100, where: atTop})
}
