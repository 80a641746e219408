// Package logview shows a job's output as lines. It reads only the part on the screen and a
// little around it, so the log may have any size.
//
// The owner sets a [Source] and calls [Model.Grown] when the log has grown. All reading happens
// in commands, so Update and View never wait for a disk or a network. Positions are byte offsets,
// so the view does not move while the log grows.
//
// Output of the job never reaches the terminal directly: an emulator draws each line, and the
// view shows the emulator's cells.
//
// A Model must be used only in the goroutine of its program's Update and View.
package logview

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/selection"
)

// Model is a log view.
type Model struct {
	keys   keymap.Log
	styles *themes.Styles
	glyphs *themes.Glyphs
	zone   *time.Location
	w, h   int
	focus  bool

	// ctx is canceled when the source is replaced or the view is closed. It ends the commands
	// that read the source.
	ctx    context.Context
	cancel context.CancelFunc
	src    Source
	gen    int // generation of the source; results of an earlier one are dropped
	empty  string
	err    error

	size     int64   // last known size of the log
	lines    []entry // a contiguous part of the log
	top      int     // index in lines of the line on the first row
	topRow   int     // rows of that line above the first row
	toScroll int     // rows still to scroll once more lines have been read
	busy     bool    // a window is being read
	again    *place  // the window to read after that
	head     bool    // lines begin with the first line of the log, or the first matching one
	tail     bool    // lines end with the last line

	follow  bool
	counted int64 // new lines are counted up to here; -1: being counted
	fresh   int   // number of new lines
	freshUp bool  // there are more than fresh new lines

	wrap bool
	columns
	left int // columns scrolled to the right

	at    int64 // offset of a byte in the current line; noLine: the last line in view
	query query
	only  bool // show only matching lines
	sel   selected

	errorText func(error) string
	now       func() time.Time
	clicked   selection.Clicks

	emu lineEmulator
}

// entry is a line in memory.
type entry struct {
	joblog.Line
	at     time.Time
	label  Label
	number int64
	drawn  *drawing // nil: not drawn yet
	hits   [][2]int
	hitGen int
}

// place describes a window to read and where to show it.
type place struct {
	off    int64
	where  where
	rows   int   // height of the view; a multiple of it is read before and after
	follow bool  // use the end of the log at the time of reading
	grown  bool  // read only if the log is larger than its known size
	known  int64 // size of the log when the read was requested; a log that was truncated is shorter
}

type where int

const (
	keep    where = iota // keep the line on the first row
	atTop                // put the line at off on the first row
	atThird              // put the line at off a third of the way down
	atEnd                // put the last line on the last row
)

// Options are how a log is shown at first.
type Options struct {
	Wrap, Timestamps, LineNumbers bool
	Clock                         func() time.Time   // replaces time.Now, to detect double clicks
	ErrorText                     func(error) string // the text of errors for the user; nil: err.Error()
}

// New returns a view without a source.
func New(keys keymap.Log, styles *themes.Styles, o Options) *Model {
	m := &Model{
		keys:   keys,
		styles: styles,
		glyphs: &styles.Glyphs,
		zone:   time.Local,
		now:    time.Now,
		at:     noLine,
		empty:  "No output yet.",
	}
	m.wrap, m.times, m.numbers, m.errorText = o.Wrap, o.Timestamps, o.LineNumbers, o.ErrorText
	if m.errorText == nil {
		m.errorText = func(err error) string { return cells.Clean(err.Error()) }
	}
	if o.Clock != nil {
		m.now = o.Clock
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

// SetSource shows another log from its end, and follows it if follow is set. A nil source shows
// nothing. The caller closes the previous source after Update has returned.
func (m *Model) SetSource(src Source, follow bool) tea.Cmd { return m.ShowEnding(src, nil, follow) }

// ShowEnding is SetSource for a log whose end has already been read. It is read again if the view needs more.
func (m *Model) ShowEnding(src Source, e *Ending, follow bool) tea.Cmd {
	m.cancel()
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.gen++
	m.src, m.err = src, nil
	m.size, m.lines, m.top, m.topRow, m.toScroll, m.head, m.tail = 0, nil, 0, 0, 0, false, false
	m.busy, m.again = false, nil
	m.follow, m.counted, m.fresh, m.freshUp, m.left = follow, 0, 0, false, 0
	m.at, m.sel, m.only = noLine, selected{}, false
	m.query.forget()
	switch {
	case src == nil:
		return nil
	case e.suffices(m):
		return m.gotWindow(e.win)
	}
	return tea.Batch(m.read(place{where: atEnd, follow: true}), m.rescan())
}

// Close cancels running commands.
func (m *Model) Close() { m.cancel() }

// SetEmpty sets the text that is shown for an empty log.
func (m *Model) SetEmpty(text string) { m.empty = text }

// SetSize sets the size in cells.
func (m *Model) SetSize(w, h int) tea.Cmd {
	if w == m.w && h == m.h {
		return nil
	}
	grew := h > m.h
	m.w, m.h = max(0, w), max(0, h)
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

// SetFocus sets whether the view receives keys.
func (m *Model) SetFocus(on bool) { m.focus = on }

// Err returns the error of the last attempt to read the log, or nil.
func (m *Model) Err() error { return m.err }

// Following reports whether the view stays at the end of the log.
func (m *Model) Following() bool { return m.follow }

// LastLine returns the text of the last line that was read: if the job waits for input, its
// prompt.
func (m *Model) LastLine() string {
	if !m.tail || len(m.lines) == 0 {
		return ""
	}
	d := m.glyphsOf(&m.lines[len(m.lines)-1])
	return d.part(0, d.own)
}

// SetFollow goes to the end and stays there, or stops following.
func (m *Model) SetFollow(on bool) tea.Cmd {
	if !on {
		m.unfollow()
		return nil
	}
	m.follow, m.at, m.fresh, m.freshUp = true, noLine, 0, false
	return m.read(place{where: atEnd, follow: true})
}

func (m *Model) unfollow() {
	if m.follow {
		m.follow, m.counted, m.fresh, m.freshUp = false, m.size, 0, false
	}
}

// NewLines returns the number of lines since following stopped; more means that there may be
// further ones.
func (m *Model) NewLines() (n int, more bool) { return m.fresh, m.freshUp }

// Size returns the last known size of the log in bytes.
func (m *Model) Size() int64 { return m.size }

// Percent returns how much of the log is above the last row, from 0 to 100.
func (m *Model) Percent() int {
	if m.size == 0 || len(m.lines) == 0 {
		return 100
	}
	return int(100 * m.lines[m.bottom()].End / m.size)
}

// Wrap reports whether long lines are wrapped.
func (m *Model) Wrap() bool { return m.wrap }

// Timestamps reports whether each line has its time before it, and SetTimestamps sets that.
func (m *Model) Timestamps() bool      { return m.times }
func (m *Model) SetTimestamps(on bool) { m.times = on }

// MatchingOnly reports whether only lines that match the search are shown.
func (m *Model) MatchingOnly() bool { return m.only }

// JumpPercent goes to a position in the log, from 0 to 100.
func (m *Model) JumpPercent(p int) tea.Cmd {
	m.unfollow()
	m.at = m.size * int64(max(0, min(100, p))) / 100
	return m.read(place{off: m.at, where: atTop})
}
