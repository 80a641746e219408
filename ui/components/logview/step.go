package logview

import (
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/later"
)

// near has the offsets of the matching lines in one stretch of the log.
type near struct {
	stretch int // -1: none
	stride  int64
	starts  []int64
}

// NextMatch goes to the next match, counted from the current one or from the view. At the end it
// wraps around with a notice.
func (m *Model) NextMatch() tea.Cmd { return m.step(1) }

// PreviousMatch goes to the previous match, like [Model.NextMatch].
func (m *Model) PreviousMatch() tea.Cmd { return m.step(-1) }

func (m *Model) step(dir int) tea.Cmd {
	q := &m.query
	switch {
	case q.re == nil:
		return notice("No search yet: press " + m.keys.Search.Help().Key)
	case q.tally.total == 0 && !q.done:
		return notice("Still searching")
	case q.tally.total == 0:
		return notice(m.NoMatches())
	}
	if q.pending == 0 {
		q.from = q.current
		if q.from < 0 && len(m.lines) > 0 {
			q.from = m.lines[m.top].Start
			if dir > 0 {
				q.from--
			}
		}
	}
	const most = 100 // limits the effect of a key that was held down
	q.pending = max(-most, min(most, q.pending+dir))
	return m.walk()
}

// walk carries out the pending steps where the matches are known, and reads a stretch where they
// are not. Without pending steps it finds the number of the current match.
func (m *Model) walk() tea.Cmd {
	q := &m.query
	if q.looking {
		return nil
	}
	var cmds []tea.Cmd
	moved, wrapped := false, false
	for q.pending != 0 && q.tally.total > 0 {
		dir := 1
		if q.pending < 0 {
			dir = -1
		}
		i := q.tally.next(q.tally.stretch(q.from+int64(dir)), dir)
		if q.from == 0 && dir < 0 {
			i = -1
		}
		switch {
		case i >= 0 && !q.knows(i):
			if moved {
				cmds = append(cmds, m.goTo(q.current))
			}
			return tea.Batch(append(cmds, m.look(i))...)
		case i >= 0:
			if at, ok := q.near.beside(q.from, dir); ok {
				q.from, q.current, q.rank = at, at, 0
				q.pending -= dir
				moved = true
				continue
			}
			q.from = int64(i) * q.tally.stride // not in this stretch
			if dir > 0 {
				q.from += q.tally.stride - 1
			}
		case !q.done:
			q.pending = 0
			cmds = append(cmds, notice("Still searching"))
		case wrapped:
			q.pending = 0
		case dir > 0:
			q.from, wrapped = -1, true
			cmds = append(cmds, notice(continuedAtTop))
		default:
			q.from, wrapped = m.size+1, true
			cmds = append(cmds, notice(continuedAtBottom))
		}
	}
	if q.tally.total == 0 {
		q.pending = 0
	}
	if moved {
		cmds = append(cmds, m.goTo(q.current))
	}
	return tea.Batch(append(cmds, m.number())...)
}

// number finds the number of the current match, once all matches before it are counted.
func (m *Model) number() tea.Cmd {
	q := &m.query
	if q.current < 0 || q.rank > 0 || !q.done {
		return nil
	}
	i := q.tally.stretch(q.current)
	if !q.knows(i) {
		return m.look(i)
	}
	if at := sort.Search(len(q.near.starts), func(k int) bool { return q.near.starts[k] >= q.current }); at < len(q.near.starts) {
		q.rank = q.tally.before(i) + int64(at) + 1
	}
	return nil
}

func (q *query) knows(stretch int) bool {
	return q.near.stretch == stretch && q.near.stride == q.tally.stride
}

// beside returns the first match after off, or with dir -1 the last one before it.
func (n near) beside(off int64, dir int) (int64, bool) {
	i := sort.Search(len(n.starts), func(i int) bool { return n.starts[i] > off })
	if dir < 0 {
		i = sort.Search(len(n.starts), func(i int) bool { return n.starts[i] >= off }) - 1
	}
	if i < 0 || i >= len(n.starts) {
		return 0, false
	}
	return n.starts[i], true
}

// look finds the offsets of the matching lines in a stretch.
func (m *Model) look(i int) tea.Cmd {
	q := &m.query
	q.looking = true
	ctx, src, re, stride := q.ctx, m.src, q.re, q.tally.stride
	return later.Run(&q.gen, func() func() tea.Cmd {
		starts, err := startsIn(ctx, src, re, int64(i)*stride, int64(i+1)*stride)
		return func() tea.Cmd { return m.looked(near{i, stride, starts}, err) }
	})
}

func (m *Model) looked(found near, err error) tea.Cmd {
	q := &m.query
	q.looking = false
	if err != nil {
		q.pending = 0
		return notice("Search stopped: " + m.errorText(err))
	}
	q.near = found
	if i, n := found.stretch, len(found.starts); q.knows(i) && q.done && len(q.todo) == 0 && n < int(q.tally.counts[i]) {
		q.tally.set(i, n) // lines may have been dropped in the meantime
	}
	return m.walk()
}

// goTo makes the line at off the current match and shows it.
func (m *Model) goTo(off int64) tea.Cmd {
	q := &m.query
	if off != q.current {
		q.current, q.rank = off, 0
	}
	m.at = off
	for i := m.top; i <= m.bottom() && i < len(m.lines); i++ {
		if m.lines[i].Start == off {
			m.unfollow()
			m.reveal(i)
			return nil
		}
	}
	m.unfollow()
	return m.read(place{off: off, where: atThird})
}

// reveal scrolls so that the first match in a line is visible.
func (m *Model) reveal(i int) {
	hits := m.hitsOf(&m.lines[i])
	width := m.textWidth()
	if len(hits) == 0 || width == 0 {
		return
	}
	from := m.glyphsOf(&m.lines[i]).columns(hits[0][0])
	to := m.glyphsOf(&m.lines[i]).columns(hits[0][1])
	if m.wrap {
		if row := from / width; row >= m.h/2 {
			m.top, m.topRow = i, max(0, row-m.h/3)
		}
		return
	}
	if m.left > 0 && from <= m.left || to >= m.left+width { // a mark covers the first or last column
		m.left = max(0, min(from-width/3, max(to-width, 0)+width/3))
		if to <= width {
			m.left = 0
		}
	}
}
