package logview

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/later"
)

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
	const most = 100 // limits the effect of a key that was held down
	q.pending = max(-most, min(most, q.pending+dir))
	return m.walk()
}

// walk carries out the pending steps, which reads the log. Without any, it finds the number of the
// current match, once all matches before it are counted.
func (m *Model) walk() tea.Cmd {
	q := &m.query
	if q.looking || q.pending == 0 && !(q.current >= 0 && q.rank == 0 && q.done) {
		return nil
	}
	from := q.current
	if from < 0 && len(m.lines) > 0 {
		from = m.lines[m.top].Start
		if q.pending > 0 {
			from--
		}
	}
	ctx, src, f, steps, size := q.ctx, m.src, m.matches(), q.pending, m.size
	q.looking, q.pending = true, 0
	return later.Run(&q.gen, func() func() tea.Cmd {
		w, err := f.walk(ctx, src, from, steps, size)
		return func() tea.Cmd { return m.walked(w, steps > 0, err) }
	})
}

func (m *Model) walked(w walked, down bool, err error) tea.Cmd {
	q := &m.query
	q.looking = false
	if err != nil {
		q.pending = 0
		return notice("Search stopped: " + m.errorText(err))
	}
	var cmds []tea.Cmd
	switch {
	case w.wrapped && down:
		cmds = append(cmds, notice(continuedAtTop))
	case w.wrapped:
		cmds = append(cmds, notice(continuedAtBottom))
	case w.short:
		cmds = append(cmds, notice("Still searching"))
	}
	if w.moved {
		cmds = append(cmds, m.goTo(w.at))
	}
	q.rank = w.rank
	return tea.Batch(append(cmds, m.walk())...)
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
