package logview

import (
	"context"
	"regexp"
	"slices"
	"sort"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// maxMatches bounds how many matching lines are remembered (16 MiB).
const maxMatches = 2 << 20

// query is a search and what it found: the offsets of matching lines, in order.
type query struct {
	text    string
	re      *regexp.Regexp
	gen     int
	matches offsets
	scanned int64 // the log has been searched up to here
	running bool
	done    bool  // once to the end
	full    bool  // there are more than maxMatches
	current int64 // offset of the line that n goes on from; -1: none yet
	err     error
}

type offsets []int64

// foundMsg is the answer of a scan.
type foundMsg struct {
	owner    *Model
	gen      int
	matches  []int64
	to       int64
	first    int64 // the first match at or after where the view stood, or -1
	onlyJump bool  // nothing but first is known yet
	err      error
}

func (q *query) forget() { gen := q.gen; *q = query{gen: gen + 1, current: -1} }

// Search looks for text (a regular expression if regex) and goes to the first
// match at or below the first row. An empty text ends searching. The error says
// what is wrong with the expression.
func (m *Model) Search(text string, regex bool) (tea.Cmd, error) {
	if text == "" {
		m.only = false
		m.query.forget()
		m.dirty = true
		return m.read(m.here()), nil
	}
	re, err := compileQuery(text, regex)
	if err != nil {
		return nil, err
	}
	m.query.forget()
	m.query.text, m.query.re = text, re
	m.dirty = true
	if m.src == nil {
		return nil, nil
	}
	var from int64
	if len(m.lines) > 0 {
		from = m.lines[m.top].Start
	}
	return tea.Batch(m.jumpSearch(from), m.scan()), nil
}

// Query is the text searched for, how many lines match, and the number of the
// current one from 1 (0: none). done is false while the log is being searched.
func (m *Model) Query() (text string, current, total int, done bool) {
	q := &m.query
	if i, ok := slices.BinarySearch(q.matches, q.current); ok {
		current = i + 1
	}
	return q.text, current, len(q.matches), q.done
}

// jumpSearch finds the first match from an offset on, which is quick where the
// count is not.
func (m *Model) jumpSearch(from int64) tea.Cmd {
	ctx, src, re, gen := m.ctx, m.src, m.query.re, m.query.gen
	return func() tea.Msg {
		msg := foundMsg{owner: m, gen: gen, first: -1, onlyJump: true}
		msg.err = src.Search(ctx, re, from, func(f engine.Match) bool {
			msg.first = f.Line.Start
			return false
		})
		return msg
	}
}

// scan searches what has not been searched.
func (m *Model) scan() tea.Cmd {
	q := &m.query
	if q.re == nil || q.running || q.full || m.src == nil {
		return nil
	}
	q.running = true
	ctx, src, re, gen, from := m.ctx, m.src, q.re, q.gen, q.scanned
	room := maxMatches - len(q.matches)
	return func() tea.Msg {
		msg := foundMsg{owner: m, gen: gen, first: -1}
		if msg.to, msg.err = src.Size(ctx); msg.err != nil {
			return msg
		}
		msg.err = src.Search(ctx, re, from, func(f engine.Match) bool {
			msg.matches = append(msg.matches, f.Line.Start)
			return len(msg.matches) < room
		})
		return msg
	}
}

// rescan goes on searching when the log has grown.
func (m *Model) rescan() tea.Cmd {
	if m.query.re == nil || !m.query.done || m.size <= m.query.scanned {
		return nil
	}
	return m.scan()
}

func (m *Model) found(msg foundMsg) tea.Cmd {
	q := &m.query
	m.dirty = true
	if msg.err != nil {
		if msg.onlyJump {
			return nil
		}
		q.running, q.done, q.err = false, true, msg.err
		return notice("The search stopped: " + msg.err.Error())
	}
	if msg.onlyJump {
		if msg.first >= 0 && q.current < 0 {
			return m.goTo(msg.first)
		}
		return nil
	}
	q.running = false
	for _, off := range msg.matches { // the last line may have been found while it was incomplete
		if n := len(q.matches); n == 0 || off > q.matches[n-1] {
			q.matches = append(q.matches, off)
		}
	}
	q.full = len(q.matches) >= maxMatches
	first := !q.done
	q.scanned, q.done = msg.to, true
	var cmds []tea.Cmd
	switch {
	case first && len(q.matches) == 0:
		cmds = append(cmds, notice("No line matches "+q.text))
	case first && q.current < 0 && !m.only:
		cmds = append(cmds, m.step(1))
	}
	if m.only && len(msg.matches) > 0 {
		cmds = append(cmds, m.read(m.here()))
	}
	return tea.Batch(cmds...)
}

// goTo makes the line at off the current match and shows it.
func (m *Model) goTo(off int64) tea.Cmd {
	m.query.current, m.dirty = off, true
	for i := m.top; i <= m.bottom() && i < len(m.lines); i++ {
		if m.lines[i].Start == off && !m.follow {
			return nil
		}
	}
	m.unfollow()
	return m.read(place{off: off, where: atThird})
}

// NextMatch and PreviousMatch go to another match, from the current one or from
// the view; at an end they go on at the other and say so.
func (m *Model) NextMatch() tea.Cmd { return m.step(1) }

// PreviousMatch goes to the match before.
func (m *Model) PreviousMatch() tea.Cmd { return m.step(-1) }

func (m *Model) step(dir int) tea.Cmd {
	q := &m.query
	switch {
	case q.re == nil:
		return notice("Nothing to search for: / searches")
	case len(q.matches) == 0 && !q.done:
		return notice("Still searching")
	case len(q.matches) == 0:
		return notice("No line matches " + q.text)
	}
	from := q.current
	if from < 0 && len(m.lines) > 0 {
		from = m.lines[m.top].Start - 1
		if dir < 0 {
			from++
		}
	}
	i := sort.Search(len(q.matches), func(i int) bool { return q.matches[i] > from })
	if dir < 0 {
		i = sort.Search(len(q.matches), func(i int) bool { return q.matches[i] >= from }) - 1
	}
	var wrapped tea.Cmd
	switch {
	case i >= len(q.matches):
		i, wrapped = 0, notice("Search went on at the top")
	case i < 0:
		i, wrapped = len(q.matches)-1, notice("Search went on at the bottom")
	}
	return tea.Batch(m.goTo(q.matches[i]), wrapped)
}

// SetMatchingOnly shows only the lines that match, or all.
func (m *Model) SetMatchingOnly(on bool) tea.Cmd {
	if on && m.query.re == nil {
		return notice("Nothing to match: search with / first")
	}
	p := m.here()
	m.only, m.dirty = on, true
	return m.read(p)
}

// filtered is the lines to show when it is not all of them.
func (m *Model) filtered() offsets {
	if !m.only {
		return nil
	}
	if m.query.matches == nil {
		return offsets{}
	}
	return m.query.matches[:len(m.query.matches):len(m.query.matches)]
}

// window reads the lines at the offsets around off.
func (o offsets) window(ctx context.Context, src Source, off int64, before, after int) ([]engine.Line, error) {
	i, _ := slices.BinarySearch(o, off)
	var lines []engine.Line
	for _, at := range o[max(0, i-before):min(len(o), i+after)] {
		found, err := src.Window(ctx, at, 0, 1)
		if err != nil {
			return lines, err
		}
		for _, l := range found {
			l.Dropped = 0
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// rows says on which rows of a column of height h the matches fall.
func (q *query) rows(size int64, h int) []bool {
	if len(q.matches) == 0 {
		return nil
	}
	rows := make([]bool, h)
	for y := range rows {
		from, to := size*int64(y)/int64(h), size*int64(y+1)/int64(h)
		i, _ := slices.BinarySearch(q.matches, from)
		rows[y] = i < len(q.matches) && q.matches[i] < to
	}
	return rows
}

func notice(text string) tea.Cmd {
	return func() tea.Msg { return NoticeMsg{Text: text} }
}

// hasUpper reports an upper-case letter; in an expression those behind a
// backslash (\S, \W) are not the person's.
func hasUpper(text string, regex bool) bool {
	escaped := false
	for _, r := range text {
		if escaped {
			escaped = false
			continue
		}
		if regex && r == '\\' {
			escaped = true
			continue
		}
		if unicode.IsUpper(r) {
			return true
		}
	}
	return false
}
