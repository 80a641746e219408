package logview

import (
	"context"
	"regexp"
	"slices"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/later"
)

// sliceBytes is how much one command searches: counts are updated in between, and an outdated
// search ends soon.
const sliceBytes = 32 << 20

const (
	continuedAtTop    = "Search continued at the top"
	continuedAtBottom = "Search continued at the bottom"
)

// pattern is what the user searches for: plain text, or a regular expression.
type pattern struct {
	text  string
	regex bool
}

type query struct {
	pattern
	re     *regexp.Regexp
	gen    int
	ctx    context.Context // canceled when the search ends
	cancel context.CancelFunc

	stretches stretches
	todo      []part // parts still to search, in this order
	planned   int64  // end of the part of the log that has been searched or is in todo
	running   bool
	done      bool  // the whole log, as large as it was at first, has been searched
	last      int64 // offset of the last matching line; -1: none
	lastEnd   int64
	jumped    bool // the view has moved to the first match

	current int64 // offset of the current match; -1: none
	rank    int64 // its number from 1; 0: unknown, -1: it is not a match any more
	looking bool  // steps are being carried out
	pending int   // further steps to other matches, positive for down
}

type part struct {
	from, to int64
	after    int64 // count only lines after this offset
	wrapped  bool  // the part is before the start of the search
}

// scanned is the result of one command.
type scanned struct {
	to          int64    // offset up to which it has searched
	stretch     int      // first stretch of counts
	counts      []uint32 // see stretches.add
	first, last int64    // offsets of the first and last matching line; -1: none
	lastEnd     int64
	err         error
}

func (q *query) forget() {
	if q.cancel != nil {
		q.cancel()
	}
	*q = query{gen: q.gen + 1, current: -1, last: -1}
}

// Search searches for text (a regular expression if regex is set) and goes to the first match at
// or below the first row, or else to the first in the log. An empty text ends the search. It
// returns an error if the expression is invalid.
func (m *Model) Search(text string, regex bool) (tea.Cmd, error) {
	if text == "" {
		m.only = false
		m.query.forget()
		return m.read(m.here()), nil
	}
	re, err := compileQuery(text, regex)
	if err != nil {
		return nil, err
	}
	q := &m.query
	q.forget()
	q.pattern, q.re = pattern{text, regex}, re
	q.ctx, q.cancel = context.WithCancel(m.ctx)
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

// Query returns the search text, the number of the current match from 1 (0: none or unknown), and
// the number of matching lines. done is false while the log is being searched.
func (m *Model) Query() (text string, current, total int, done bool) {
	q := &m.query
	return q.text, int(max(0, q.rank)), int(q.stretches.total), q.done
}

// Searches reports whether text is the current search.
func (m *Model) Searches(text string, regex bool) bool {
	return m.query.re != nil && m.query.pattern == pattern{text, regex}
}

// NoMatches returns the message for a search without results, or "" if it has or may still find
// one.
func (m *Model) NoMatches() string {
	q := &m.query
	switch {
	case q.re == nil, !q.done, q.stretches.total > 0:
		return ""
	case q.regex:
		return `No matches for "` + q.text + `"`
	}
	return `No matches for the plain text "` + q.text + `"`
}

// scan searches the next slice. Until the first match is found, it searches only in the direction
// of the search.
func (m *Model) scan() tea.Cmd {
	q := &m.query
	switch {
	case q.re == nil, q.running, m.src == nil, len(q.todo) == 0:
		return nil
	}
	q.running = true
	ctx, src, re, p, one := q.ctx, m.src, q.re, q.todo[0], !q.jumped
	to := min(p.to, p.from+sliceBytes)
	q.stretches.grow(max(to, m.size))
	stride := q.stretches.stride
	return later.Run(&q.gen, func() func() tea.Cmd {
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
		return func() tea.Cmd { return m.gotScan(found) }
	})
}

// rescan continues the search after the log has grown. An incomplete line is searched again.
func (m *Model) rescan() tea.Cmd {
	q := &m.query
	if q.re == nil || m.size <= q.planned {
		return nil
	}
	if last := q.lastPart(); last != nil {
		last.to = m.size
	} else {
		from := q.planned
		if q.last >= 0 && q.lastEnd >= q.planned {
			q.stretches.remove(q.last)
			from, q.last = q.last, -1
		}
		q.todo = append(q.todo, part{from: from, to: m.size, after: -1})
	}
	q.planned = m.size
	return m.scan()
}

// lastPart returns the part at the end of the log, nil if that has been searched.
func (q *query) lastPart() *part {
	i := slices.IndexFunc(q.todo, func(p part) bool { return p.to == q.planned })
	if i < 0 {
		return nil
	}
	return &q.todo[i]
}

func (m *Model) gotScan(found scanned) tea.Cmd {
	q := &m.query
	q.running = false
	if found.err != nil {
		q.todo, q.done = nil, true
		return notice("Search stopped: " + m.errorText(found.err))
	}
	q.stretches.add(found.stretch, found.counts)
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
		if searching := q.current < 0 && !q.done; searching && !m.only {
			cmds = append(cmds, m.goTo(found.first))
			if wrapped {
				cmds = append(cmds, notice(continuedAtTop))
			}
		}
	}
	if len(q.todo) == 0 && !q.done {
		q.done = true
		if q.stretches.total == 0 {
			cmds = append(cmds, notice(m.NoMatches()))
		}
	}
	endsEmpty := len(q.todo) == 0 && len(m.lines) == 0
	if m.only && (endsEmpty || len(found.counts) > 0) {
		cmds = append(cmds, m.read(m.here()))
	}
	return tea.Batch(append(cmds, m.scan(), m.walk())...)
}

func notice(text string) tea.Cmd {
	return func() tea.Msg { return NoticeMsg{Text: text} }
}

// compileQuery compiles a search: plain text unless regex is set. It is case-sensitive if it
// contains an upper-case letter.
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

// hasUpper reports whether text contains an upper-case letter, except in escapes such as \S and
// \W of an expression.
func hasUpper(text string, regex bool) bool {
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
		case regex && r == '\\':
			escaped = true
		case unicode.IsUpper(r):
			return true
		}
	}
	return false
}
