package logview

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/later"
)

// markKind is the reason why a character is highlighted.
type markKind int

const (
	markNone markKind = iota
	markMatch
	markCurrent
	markSelected
)

// mark is a range [from, to) of glyphs.
type mark struct {
	from, to int
	kind     markKind
}

// markAt returns the kind of mark at a glyph; later marks override earlier ones.
func markAt(marks []mark, i int) markKind {
	kind := markNone
	for _, mk := range marks {
		if mk.from <= i && i < mk.to {
			kind = mk.kind
		}
	}
	return kind
}

func (m *Model) marksOf(e *entry) []mark {
	var marks []mark
	if m.query.re != nil {
		kind := markMatch
		if e.Start == m.query.current {
			kind = markCurrent
		}
		for _, h := range m.hitsOf(e) {
			marks = append(marks, mark{h[0], h[1], kind})
		}
	}
	if from, to := m.sel.span(e.Start, m.glyphsOf(e).own); from < to {
		marks = append(marks, mark{from, to, markSelected})
	}
	return marks
}

// hitsOf returns the ranges of glyphs that match.
func (m *Model) hitsOf(e *entry) [][2]int {
	if e.hitGen == m.query.gen {
		return e.hits
	}
	d := m.glyphsOf(e)
	e.hits, e.hitGen = nil, m.query.gen
	for _, f := range m.query.re.FindAllStringIndex(d.part(0, d.own), 256) {
		if f[0] < f[1] {
			e.hits = append(e.hits, [2]int{d.glyphAt(f[0]), d.glyphAt(f[1]-1) + 1})
		}
	}
	return e.hits
}

// Mark is a position in the log with the search at that time.
type Mark struct {
	gen     int // generation of the source
	place   place
	row     int // rows of the first line above the view
	left    int
	at      int64 // offset in the current line
	pattern pattern
	only    bool
	match   int64
	follow  bool
}

// Mark returns the current position and search, for [Model.Return].
func (m *Model) Mark() Mark {
	to := Mark{
		gen:     m.gen,
		row:     m.topRow,
		left:    m.left,
		at:      m.at,
		pattern: m.query.pattern,
		only:    m.only,
		match:   m.query.current,
		follow:  m.follow,
	}
	if len(m.lines) > 0 {
		to.place = place{off: m.lines[m.top].Start, where: atTop}
	}
	return to
}

// Return restores a position and search, so that an abandoned search has no effect. In another
// log it restores only the search.
func (m *Model) Return(to Mark) tea.Cmd {
	var cmds []tea.Cmd
	if m.query.pattern != to.pattern || m.only != to.only {
		cmd, _ := m.Search(to.pattern.text, to.pattern.regex) // the expression was valid before
		m.query.jumped, m.query.current = true, to.match
		m.only = to.only && to.pattern.text != ""
		cmds = append(cmds, cmd)
	}
	switch {
	case to.gen != m.gen:
		return tea.Batch(cmds...)
	case to.follow:
		return tea.Batch(append(cmds, m.SetFollow(true))...)
	}
	m.left, m.at = to.left, to.at
	back := to.place
	isThere := len(m.lines) > 0 && m.lines[m.top].Start == back.off
	if isThere && !m.only {
		back = m.here()
		m.topRow = to.row
	}
	return tea.Batch(append(cmds, m.read(back))...)
}

// Filter searches for text and shows only matching lines, without going to a match. A view that
// follows keeps following.
func (m *Model) Filter(text string, regex bool) (tea.Cmd, error) {
	if text == "" {
		return m.Search("", false)
	}
	was := m.only
	m.only = true
	cmd, err := m.Search(text, regex)
	if err != nil {
		m.only = was
	}
	return cmd, err
}

// NextMatch goes to the next match, counted from the current one or from the view. At the end it
// wraps around with a notice.
func (m *Model) NextMatch() tea.Cmd { return m.step(1) }

func (m *Model) step(dir int) tea.Cmd {
	q := &m.query
	switch {
	case q.re == nil:
		return notice("No search yet: press " + m.keys.Search.Help().Key)
	case q.stretches.total == 0 && !q.done:
		return notice("Still searching")
	case q.stretches.total == 0:
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
	if q.looking {
		return nil
	}
	if q.pending == 0 && !q.lacksRank() {
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

// lacksRank reports whether the number of the current match is not known although all matches are
// counted.
func (q *query) lacksRank() bool { return q.done && q.current >= 0 && q.rank == 0 }

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
	m.unfollow()
	for i := range m.visible() {
		if m.lines[m.top+i].Start == off {
			m.reveal(m.top + i)
			return nil
		}
	}
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
	leftOf := m.left > 0 && from <= m.left // a mark of the view covers the first column
	rightOf := to >= m.left+width          // and the last
	if leftOf || rightOf {
		m.left = max(0, min(from-width/3, max(to-width, 0)+width/3))
		if to <= width {
			m.left = 0
		}
	}
}
