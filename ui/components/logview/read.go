package logview

import (
	"bytes"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/ui/components/later"
)

// window is a part of the log that has been read.
type window struct {
	place   place
	lines   []joblog.Line
	head    bool // whether lines begins with the first line and ends with the last
	tail    bool
	times   []time.Time
	labels  []Label
	numbers []int64
	size    int64
	same    bool // nothing was read, because the log has not grown
	err     error
}

// margin is the number of screens that are read before and after the view, so that scrolling
// rarely has to wait.
const margin = 3

// countBytes limits how much is read to count new lines.
const countBytes = 16 << 20

// read reads the window at p. If a window is being read, p is read afterwards; a later call
// replaces p.
func (m *Model) read(p place) tea.Cmd {
	if m.src == nil {
		return nil
	}
	p.rows, p.known = m.windowRows(), m.size
	if m.busy {
		if m.again != nil && !m.again.grown {
			p.grown = false
		}
		m.again = &p
		return nil
	}
	m.busy = true
	ctx, src, cols := m.ctx, m.src, m.columns
	var only *filter // the view shows all lines
	if m.only {
		only = m.matches()
	}
	return later.Run(&m.gen, func() func() tea.Cmd {
		win := readWindow(ctx, src, only, p, cols)
		return func() tea.Cmd { return m.gotWindow(win) }
	})
}

// columns are those before the lines of a log, which are read only if they are shown: for a log on a host that
// takes requests of its own.
type columns struct{ numbers, times bool }

// Ending is the end of a log, read before the view shows that log.
type Ending struct {
	win  window
	cols columns
}

// ReadEnding returns a function that reads the end of a log. A command that opens the log calls it, so that
// [Model.ShowEnding] shows the log without another command.
func (m *Model) ReadEnding() func(ctx context.Context, src Source) *Ending {
	p, cols := place{where: atEnd, follow: true, rows: m.windowRows()}, m.columns
	return func(ctx context.Context, src Source) *Ending {
		return &Ending{readWindow(ctx, src, nil, p, cols), cols}
	}
}

// suffices reports whether e is what the view would read now.
func (e *Ending) suffices(m *Model) bool {
	if e == nil || e.win.err != nil {
		return false
	}
	return e.win.place.rows >= m.windowRows() && e.cols == m.columns
}

// windowRows returns the number of rows to read for a window.
func (m *Model) windowRows() int { return max(m.h, 10) }

// readWindow reads the lines around p. If only is not nil, it reads only matching lines.
func readWindow(ctx context.Context, src Source, only *filter, p place, cols columns) window {
	win := window{place: p}
	if win.size, win.err = src.Size(ctx); win.err != nil {
		return win
	}
	if win.same = p.grown && win.size <= p.known; win.same {
		return win
	}
	off, before, after := min(p.off, win.size), margin*p.rows, margin*p.rows
	if p.follow {
		off, before, after = win.size, margin*p.rows, 1
	}
	if only == nil {
		win.lines, win.err = src.Window(ctx, off, before, after)
		win.head, win.tail = true, true
		if n := len(win.lines); n > 0 {
			win.head = win.lines[0].Start == win.lines[0].Dropped
			win.tail = win.lines[n-1].End >= win.size
		}
	} else {
		win.lines, win.head, win.tail, win.err = only.window(ctx, src, off, before, after)
	}
	for i := range win.lines {
		win.lines[i].Text = "" // lines are drawn from Raw
	}
	win.times, win.labels = make([]time.Time, len(win.lines)), make([]Label, len(win.lines))
	for i, l := range win.lines {
		win.labels[i] = labelOf(src, l.Start)
		if !cols.times {
			continue
		}
		if at, ok := src.TimeAt(ctx, l.Start); ok {
			win.times[i] = at
		}
	}
	if cols.numbers && win.err == nil {
		win.numbers, win.err = lineNumbers(ctx, src, win.lines, only != nil)
	}
	return win
}

// lineNumbers finds line numbers that the source has not returned with the lines.
func lineNumbers(ctx context.Context, src Source, lines []joblog.Line, scattered bool) ([]int64, error) {
	numbers := make([]int64, len(lines))
	for i, l := range lines {
		numbers[i] = l.Number
		if l.Number >= 0 {
			continue
		}
		followsLineBefore := i > 0 && !scattered && l.Dropped == 0
		if followsLineBefore && numbers[i-1] >= 0 {
			numbers[i] = numbers[i-1] + 1
			continue
		}
		n, err := src.LineNumber(ctx, l.Start)
		if err != nil {
			return nil, err
		}
		numbers[i] = n
	}
	return numbers, nil
}

// here returns the window around the current view.
func (m *Model) here() place {
	if m.follow {
		return place{where: atEnd, follow: true}
	}
	if len(m.lines) == 0 {
		return place{where: atTop}
	}
	return place{off: m.lines[m.top].Start, where: keep}
}

func (m *Model) gotWindow(win window) tea.Cmd {
	m.busy = false
	if m.err = win.err; m.err != nil {
		m.again = nil
		return nil
	}
	if win.same {
		return m.readAgain()
	}
	m.size = max(m.size, win.size)
	var topStart int64 = -1
	if win.place.where == keep && len(m.lines) > 0 {
		topStart = m.lines[m.top].Start
	}
	m.replace(win)
	m.head, m.tail = win.head, win.tail
	switch win.place.where {
	case keep:
		m.top = max(0, m.indexOf(max(topStart, 0)))
	case atTop:
		m.top, m.topRow = max(0, m.indexOf(win.place.off)), 0
	case atThird:
		m.top, m.topRow = max(0, m.indexOf(win.place.off)), 0
		m.shift(-m.h / 3)
		if i := m.indexOf(win.place.off); i >= 0 && m.query.re != nil {
			m.reveal(i)
		}
	case atEnd:
		m.toEnd()
	}
	m.settle()
	cmds := []tea.Cmd{m.rescan()}
	if rows := m.toScroll; rows != 0 {
		m.toScroll = 0
		m.shift(rows)
		m.toScroll = 0 // the end of the log was reached
	}
	if again := m.readAgain(); again != nil {
		cmds = append(cmds, again)
	} else if m.follow && m.size > max(win.size, win.place.known) {
		cmds = append(cmds, m.read(m.here()))
	}
	return tea.Batch(cmds...)
}

// readAgain reads the window that was requested while another one was being read.
func (m *Model) readAgain() tea.Cmd {
	again := m.again
	if again == nil {
		return nil
	}
	m.again = nil
	return m.read(*again)
}

func (m *Model) replace(win window) {
	old := make(map[int64]entry, len(m.lines))
	for _, e := range m.lines {
		old[e.Start] = e
	}
	m.lines = make([]entry, len(win.lines))
	for i, l := range win.lines {
		e, ok := old[l.Start]
		if !ok || e.End != l.End {
			e = entry{}
		}
		e.Line, e.number = l, -1
		if i < len(win.times) {
			e.at, e.label = win.times[i], win.labels[i]
		}
		if i < len(win.numbers) {
			e.number = win.numbers[i]
		}
		m.lines[i] = e
	}
}

// indexOf returns the index of the line that contains the offset, or the last one.
func (m *Model) indexOf(off int64) int {
	for i, e := range m.lines {
		if off < e.End || off == e.Start {
			return i
		}
	}
	return len(m.lines) - 1
}

// Grown must be called when the log may have grown. The source has the size: a job with two streams
// reports the size of both.
func (m *Model) Grown() tea.Cmd {
	if m.src == nil {
		return nil
	}
	if m.follow { // the size is read with the lines
		return m.read(place{where: atEnd, follow: true, grown: m.err == nil})
	}
	ctx, src := m.ctx, m.src
	return later.Run(&m.gen, func() func() tea.Cmd {
		size, err := src.Size(ctx)
		return func() tea.Cmd { return m.grewTo(size, err) }
	})
}

func (m *Model) grewTo(size int64, err error) tea.Cmd {
	if err != nil {
		return m.read(m.here()) // which reports it
	}
	if size <= m.size {
		return nil
	}
	m.size = size
	cmds := []tea.Cmd{m.rescan()}
	if m.follow { // since the size was read
		return tea.Batch(append(cmds, m.read(m.here()))...)
	}
	if m.tail && m.atBottom() {
		cmds = append(cmds, m.read(m.here()))
	}
	return tea.Batch(append(cmds, m.count())...)
}

// count counts the new lines since following stopped.
func (m *Model) count() tea.Cmd {
	if m.counted < 0 || m.freshUp {
		return nil
	}
	from, to, ctx, src := m.counted, m.size, m.ctx, m.src
	m.counted = -1 // being counted
	return later.Run(&m.gen, func() func() tea.Cmd {
		lines, more := countLines(ctx, src, from, to)
		return func() tea.Cmd { return m.gotCount(to, lines, more) }
	})
}

// countLines counts the lines that end between two offsets; more means that there may be others.
func countLines(ctx context.Context, src Source, from, to int64) (lines int, more bool) {
	if to-from > countBytes {
		more, to = true, from+countBytes
	}
	buf := make([]byte, 256<<10)
	for off := from; off < to; {
		n, err := src.ReadAt(ctx, buf[:min(int64(len(buf)), to-off)], off)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		off += int64(n)
		if err != nil || n == 0 {
			break
		}
	}
	return lines, more
}

func (m *Model) gotCount(to int64, lines int, more bool) tea.Cmd {
	if m.follow {
		return nil
	}
	m.fresh += lines
	if more {
		m.freshUp = true
	}
	m.counted = to
	if m.size > to {
		return m.count()
	}
	return nil
}
