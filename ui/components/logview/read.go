package logview

import (
	"bytes"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// readMsg is a window that has been read.
type readMsg struct {
	owner   *Model
	gen     int
	place   place
	lines   []engine.Line
	head    bool // they begin with the first, and end with the last
	tail    bool
	times   []time.Time
	numbers []int64
	size    int64
	err     error
}

// countedMsg says how many lines came between two offsets.
type countedMsg struct {
	owner    *Model
	gen      int
	from, to int64
	lines    int
	more     bool
}

// margin is how many screens of lines are read before and after the place
// wanted, so that scrolling rarely waits.
const margin = 3

// countBytes bounds what is read to count new lines.
const countBytes = 16 << 20

// read reads the window around p, after the one that is being read, if any: the
// last wish counts.
func (m *Model) read(p place) tea.Cmd {
	if m.src == nil {
		return nil
	}
	p.rows = max(m.h, 10)
	if m.busy {
		m.again = &p
		return nil
	}
	m.busy = true
	ctx, src, gen, numbers := m.ctx, m.src, m.gen, m.numbers
	only := m.filtered()
	return func() tea.Msg {
		msg := readMsg{owner: m, gen: gen, place: p}
		if msg.size, msg.err = src.Size(ctx); msg.err != nil {
			return msg
		}
		off, before, after := min(p.off, msg.size), margin*p.rows, margin*p.rows
		if p.follow {
			off, before, after = msg.size, margin*p.rows, 1
		}
		if only == nil {
			msg.lines, msg.err = src.Window(ctx, off, before, after)
			n := len(msg.lines)
			msg.head = n == 0 || msg.lines[0].Start == 0
			msg.tail = n == 0 || msg.lines[n-1].End >= msg.size
		} else {
			msg.lines, msg.head, msg.tail, msg.err = only.window(ctx, src, off, before, after)
		}
		for i := range msg.lines {
			msg.lines[i].Text = "" // what is drawn is made of the bytes
		}
		msg.times = make([]time.Time, len(msg.lines))
		for i, l := range msg.lines {
			if at, ok := src.TimeAt(l.Start); ok {
				msg.times[i] = at
			}
		}
		if numbers && msg.err == nil {
			msg.numbers, msg.err = lineNumbers(ctx, src, msg.lines, only != nil)
		}
		return msg
	}
}

// lineNumbers finds the numbers that the source has not given with the lines.
func lineNumbers(ctx context.Context, src Source, lines []engine.Line, scattered bool) ([]int64, error) {
	numbers := make([]int64, len(lines))
	for i, l := range lines {
		numbers[i] = l.Number
		if l.Number >= 0 {
			continue
		}
		if i > 0 && !scattered && numbers[i-1] >= 0 && l.Dropped == 0 {
			numbers[i] = numbers[i-1] + 1
			continue
		}
		numberer, ok := src.(Numberer)
		if !ok {
			continue
		}
		n, err := numberer.LineNumber(ctx, l.Start)
		if err != nil {
			return nil, err
		}
		numbers[i] = n
	}
	return numbers, nil
}

// here is the window around what is shown now.
func (m *Model) here() place {
	if m.follow {
		return place{where: atEnd, follow: true}
	}
	if len(m.lines) == 0 {
		return place{where: atTop}
	}
	return place{off: m.lines[m.top].Start, where: keep}
}

func (m *Model) took(msg readMsg) tea.Cmd {
	m.busy, m.dirty = false, true
	if m.err = msg.err; m.err != nil {
		m.again = nil
		return nil
	}
	m.size = max(m.size, msg.size)
	var topStart int64 = -1
	if msg.place.where == keep && len(m.lines) > 0 {
		topStart = m.lines[m.top].Start
	}
	m.replace(msg)
	m.head, m.tail = msg.head, msg.tail
	switch msg.place.where {
	case keep:
		m.top = max(0, m.indexOf(max(topStart, 0)))
	case atTop:
		m.top, m.topRow = max(0, m.indexOf(msg.place.off)), 0
	case atThird:
		m.top, m.topRow = max(0, m.indexOf(msg.place.off)), 0
		m.shift(-m.h / 3)
		if i := m.indexOf(msg.place.off); i >= 0 && m.query.re != nil {
			m.reveal(i)
		}
	case atEnd:
		m.toEnd()
	}
	m.settle()
	cmds := []tea.Cmd{m.rescan()}
	if debt := m.debt; debt != 0 {
		m.debt = 0
		m.shift(debt)
		m.debt = 0 // what could not be scrolled now is beyond the log
	}
	if again := m.again; again != nil {
		m.again = nil
		cmds = append(cmds, m.read(*again))
	} else if m.follow && m.size > msg.size {
		cmds = append(cmds, m.read(m.here()))
	}
	return tea.Batch(cmds...)
}

// replace puts new lines in place of the old ones and keeps what was drawn.
func (m *Model) replace(msg readMsg) {
	old := make(map[int64]entry, len(m.lines))
	for _, e := range m.lines {
		old[e.Start] = e
	}
	m.lines = make([]entry, len(msg.lines))
	for i, l := range msg.lines {
		e, ok := old[l.Start]
		if !ok || e.End != l.End {
			e = entry{}
		}
		e.Line, e.number = l, -1
		if i < len(msg.times) {
			e.at = msg.times[i]
		}
		if i < len(msg.numbers) {
			e.number = msg.numbers[i]
		}
		m.lines[i] = e
	}
}

// indexOf is the line that holds the offset, or the last one.
func (m *Model) indexOf(off int64) int {
	for i, e := range m.lines {
		if off < e.End || off == e.Start {
			return i
		}
	}
	return len(m.lines) - 1
}

// Grown says that the log now reaches size.
func (m *Model) Grown(size int64) tea.Cmd {
	if size <= m.size || m.src == nil {
		return nil
	}
	m.size, m.dirty = size, true
	cmds := []tea.Cmd{m.rescan()}
	switch {
	case m.follow:
		cmds = append(cmds, m.read(m.here()))
	default:
		if m.tail && m.atBottom() {
			cmds = append(cmds, m.read(m.here()))
		}
		cmds = append(cmds, m.count())
	}
	return tea.Batch(cmds...)
}

// count counts the lines that came since following stopped.
func (m *Model) count() tea.Cmd {
	if m.counted < 0 || m.freshUp {
		return nil
	}
	from, to, ctx, src, gen := m.counted, m.size, m.ctx, m.src, m.gen
	m.counted = -1 // under way
	return func() tea.Msg {
		msg := countedMsg{owner: m, gen: gen, from: from, to: to}
		if to-from > countBytes {
			msg.more, to = true, from+countBytes
		}
		buf := make([]byte, 256<<10)
		for off := from; off < to; {
			n, err := src.ReadAt(ctx, buf[:min(int64(len(buf)), to-off)], off)
			msg.lines += bytes.Count(buf[:n], []byte{'\n'})
			off += int64(n)
			if err != nil || n == 0 {
				break
			}
		}
		return msg
	}
}

func (m *Model) tookCount(msg countedMsg) tea.Cmd {
	if m.follow {
		return nil
	}
	m.fresh += msg.lines
	m.freshUp = m.freshUp || msg.more
	m.counted, m.dirty = msg.to, true
	if m.size > msg.to {
		return m.count()
	}
	return nil
}
