package logfile

import (
	"bytes"
	"regexp"
)

// matchWidth is how much of a line's text patterns are matched against.
const matchWidth = 1 << 20

// A matcher applies one pattern to lines as they are in the log. It is what a
// [Pattern] needs in memory while it works: for one goroutine.
type matcher struct {
	p    *Pattern
	r    *renderer
	low  []byte // what is looked at, a block or a line, in lower case
	line []byte // a line's text in lower case
}

func newMatcher(p *Pattern) *matcher {
	return &matcher{p: p, r: newRenderer(matchWidth)}
}

// raw tells whether the pattern matches a line given as its bytes.
func (m *matcher) raw(line []byte) bool {
	hay := line
	if m.p.need.fold {
		m.low = lowerASCII(m.low[:0], line)
		hay = m.low
	}
	return m.either(line, hay)
}

// either is raw for a line that there is in lower case too, if case is ignored.
func (m *matcher) either(line, hay []byte) bool {
	for _, b := range m.p.need.rare {
		if bytes.IndexByte(hay, b) < 0 {
			return false
		}
	}
	line = bytes.TrimRight(line, "\r\n")
	if dirtyByte(line) < 0 {
		return m.text(line)
	}
	m.r.reset()
	m.r.write(line)
	text, _ := m.r.end()
	return m.text(text)
}

// text tells whether the pattern matches a line's text.
func (m *matcher) text(text []byte) bool {
	if len(m.p.need.lit) > 0 {
		hay := text
		if m.p.need.fold {
			m.line = lowerASCII(m.line[:0], text)
			hay = m.line
		}
		if !bytes.Contains(hay, m.p.need.lit) {
			return false
		}
		if len(m.p.whole) > 0 {
			if len(m.p.whole) == len(m.p.need.lit) || bytes.Contains(hay, m.p.whole) {
				return true
			}
			if asciiRun(text) == len(text) {
				return false
			}
		}
	}
	return m.p.re.Match(text)
}

// lines calls found with the range of each line of a block of whole lines that
// matches, LF included, until it returns false.
//
// Where a line's bytes are its text, looking for the literal in the whole block
// finds it. Lines with anything else in them are looked at one by one.
func (m *matcher) lines(block []byte, found func(start, end int) bool) {
	lit := m.p.need.lit
	hay := block
	if m.p.need.fold {
		m.low = lowerASCII(m.low[:0], block)
		hay = m.low
	}
	hit, dirty := -1, -1 // the next of each, len(block) if there is none
	for pos := 0; pos < len(block); {
		if hit < pos {
			hit = pos + indexOr(bytes.Index(hay[pos:], lit), len(block)-pos)
		}
		if dirty < pos && hit > pos {
			dirty = pos + indexOr(dirtyByte(block[pos:]), len(block)-pos)
		}
		at := hit
		if dirty >= pos {
			at = min(at, dirty)
		}
		if at >= len(block) {
			return
		}
		start := pos + bytes.LastIndexByte(block[pos:at], '\n') + 1
		end := at + indexOr(bytes.IndexByte(block[at:], '\n'), len(block)-at-1) + 1
		if m.either(block[start:end], hay[start:end]) && !found(start, end) {
			return
		}
		pos = end
	}
}

func indexOr(i, none int) int {
	if i < 0 {
		return none
	}
	return i
}

// A Pattern is what lines are searched or filtered for, in their text, one line
// at a time. It is safe for concurrent use.
type Pattern struct {
	re    *regexp.Regexp
	need  required
	whole []byte // the literal that re stands for in lines of ASCII, as need.fold says; or empty
}

// FromRegexp uses a compiled regular expression as it is.
func FromRegexp(re *regexp.Regexp) *Pattern {
	p := &Pattern{re: re, need: requiredBy(re.String())}
	if whole, fold, ok := wholeLiteral(re.String()); ok && fold == p.need.fold {
		p.whole = whole
	}
	return p
}

// FindAll is every match in a line's text, for marking them; empty ones are
// left out.
func (p *Pattern) FindAll(text string) [][2]int {
	var all [][2]int
	for _, m := range p.re.FindAllStringIndex(text, -1) {
		if m[1] > m[0] {
			all = append(all, [2]int{m[0], m[1]})
		}
	}
	return all
}
