package logview

import (
	"context"
	"regexp"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// sliceBytes is how much is searched by one command, so that counts are shown as
// they grow and a search that nobody wants any more soon ends.
const sliceBytes = 32 << 20

// query is a search and what it found.
type query struct {
	text   string
	regex  bool
	re     *regexp.Regexp
	gen    int
	ctx    context.Context // of this search
	cancel context.CancelFunc

	tally   tally
	todo    []part // what has not been searched, in this order
	planned int64  // the log is searched or in todo up to here
	running bool
	done    bool  // all of the log as it was at first
	last    int64 // the last matching line; -1: none
	lastEnd int64
	jumped  bool // the first match was gone to

	current int64 // offset of the match that n goes on from; -1: none yet
	rank    int64 // its number from 1; 0: not known yet
	near    near
	looking bool // near is being read
	pending int  // steps still to be made, down if positive
	from    int64
}

// part is a part of the log that is to be searched.
type part struct {
	from, to int64
	after    int64 // lines up to this one are counted
	wrapped  bool  // it lies before where the search began
}

// scanned is what one command found.
type scanned struct {
	to          int64    // this far it came
	stretch     int      // that counts begin with
	counts      []uint32 // see tally.add
	first, last int64    // of the matching lines; -1: none
	lastEnd     int64
	err         error
}

func (q *query) forget() {
	if q.cancel != nil {
		q.cancel()
	}
	*q = query{gen: q.gen + 1, current: -1, last: -1, near: near{stretch: -1}}
}

// Search looks for text (a regular expression if regex) and goes to the first
// match at or below the first row, else to the first of all. An empty text ends
// searching. The error says what is wrong with the expression.
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
	q := &m.query
	q.forget()
	q.text, q.regex, q.re = text, regex, re
	q.ctx, q.cancel = context.WithCancel(m.ctx)
	m.dirty = true
	if m.src == nil {
		return nil, nil
	}
	var from int64
	if len(m.lines) > 0 {
		from = m.lines[m.top].Start
	}
	q.todo = append(q.todo, part{from: from, to: m.size, after: -1})
	if from > 0 {
		q.todo = append(q.todo, part{to: from, after: -1, wrapped: true})
	}
	q.planned = m.size
	cmd := m.scan()
	if m.only {
		cmd = tea.Batch(cmd, m.read(m.here()))
	}
	return cmd, nil
}

// Query is the text searched for, how many lines match, and the number of the
// current one from 1 (0: none, or not known yet). done is false while the log is
// being searched.
func (m *Model) Query() (text string, current, total int, done bool) {
	q := &m.query
	return q.text, int(q.rank), int(q.tally.total), q.done
}

// Searches reports whether this is what is searched for.
func (m *Model) Searches(text string, regex bool) bool {
	return m.query.re != nil && m.query.text == text && m.query.regex == regex
}

// scan searches a slice of what has not been searched. Until the first match is
// found it goes no further than that.
func (m *Model) scan() tea.Cmd {
	q := &m.query
	if q.re == nil || q.running || m.src == nil || len(q.todo) == 0 {
		return nil
	}
	q.running = true
	ctx, src, re, p, one := q.ctx, m.src, q.re, q.todo[0], !q.jumped
	to := min(p.to, p.from+sliceBytes)
	q.tally.reach(max(to, m.size))
	stride := q.tally.stride
	return m.async(&q.gen, func() func() tea.Cmd {
		found := scanned{first: -1, last: -1, to: to}
		found.err = src.Matching(ctx, re, p.from, to, func(start, end int64) bool {
			if start <= p.after {
				return true
			}
			i := int(start / stride)
			if found.first < 0 {
				found.first, found.stretch = start, i
			}
			for len(found.counts) <= i-found.stretch {
				found.counts = append(found.counts, 0)
			}
			found.counts[i-found.stretch]++
			found.last, found.lastEnd = start, end
			if one {
				found.to = min(to, end)
			}
			return !one
		})
		return func() tea.Cmd { return m.tookScan(found) }
	})
}

// rescan goes on searching when the log has grown. A line that was not complete
// is searched again.
func (m *Model) rescan() tea.Cmd {
	q := &m.query
	if q.re == nil || m.size <= q.planned {
		return nil
	}
	n := len(q.todo)
	switch {
	case n > 0 && q.todo[n-1].to == q.planned:
		q.todo[n-1].to = m.size
	case n > 0 && q.todo[0].to == q.planned:
		q.todo[0].to = m.size
	default:
		from := q.planned
		if q.last >= 0 && q.lastEnd >= q.planned {
			q.tally.forget(q.last)
			from, q.last = q.last, -1
			q.near = near{stretch: -1}
		}
		q.todo = append(q.todo, part{from: from, to: m.size, after: -1})
	}
	q.planned = m.size
	return m.scan()
}

func (m *Model) tookScan(found scanned) tea.Cmd {
	q := &m.query
	m.dirty = true
	q.running = false
	if found.err != nil {
		q.todo, q.done = nil, true
		return notice("the search stopped: " + m.words(found.err))
	}
	q.tally.add(found.stretch, found.counts)
	if s := q.near.stretch; s >= found.stretch && s < found.stretch+len(found.counts) {
		q.near = near{stretch: -1}
	}
	if found.last > q.last {
		q.last, q.lastEnd = found.last, found.lastEnd
	}
	p := &q.todo[0]
	p.from, p.after = found.to, max(p.after, found.last)
	wrapped := p.wrapped
	if p.from >= p.to {
		q.todo = q.todo[1:]
	}
	var cmds []tea.Cmd
	if found.first >= 0 && !q.jumped {
		q.jumped = true
		if q.current < 0 && !m.only && !q.done {
			cmds = append(cmds, m.goTo(found.first))
			if wrapped {
				cmds = append(cmds, notice("search went on at the top"))
			}
		}
	}
	if len(q.todo) == 0 && !q.done {
		q.done = true
		if q.tally.total == 0 {
			cmds = append(cmds, notice("no line matches "+q.text))
		}
	}
	if m.only && len(found.counts) > 0 || m.only && len(q.todo) == 0 && len(m.lines) == 0 {
		cmds = append(cmds, m.read(m.here()))
	}
	return tea.Batch(append(cmds, m.scan(), m.walk())...)
}

func notice(text string) tea.Cmd {
	return func() tea.Msg { return NoticeMsg{Text: text} }
}

// compileQuery makes the pattern of a search: plain text unless regex, and case
// counts only if the query has an upper-case letter.
func compileQuery(text string, regex bool) (*regexp.Regexp, error) {
	pattern := text
	if !regex {
		pattern = regexp.QuoteMeta(text)
	}
	if !hasUpper(text, regex) {
		pattern = "(?i)" + pattern
	}
	return regexp.Compile(pattern)
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
