package logfile

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxMatchWidth is the number of bytes of a line's text that patterns are matched against.
const maxMatchWidth = 1 << 20

// A matcher applies a pattern to lines of a log. It has the buffers for one goroutine.
type matcher struct {
	p    *Pattern
	r    *renderer
	low  []byte // the current block or line in lower case
	line []byte // the text of a line in lower case
}

func newMatcher(p *Pattern) *matcher {
	return &matcher{p: p, r: newRenderer(maxMatchWidth)}
}

// raw reports whether the pattern matches a line, given its bytes.
func (m *matcher) raw(line []byte) bool {
	hay := line
	if m.p.need.fold {
		m.low = lowerASCII(m.low[:0], line)
		hay = m.low
	}
	return m.either(line, hay)
}

// either is raw with hay, the bytes of the line in lower case if case is ignored.
func (m *matcher) either(line, hay []byte) bool {
	for _, b := range m.p.need.rare {
		if bytes.IndexByte(hay, b) < 0 {
			return false
		}
	}
	line = bytes.TrimRight(line, "\r\n")
	if firstSpecialByte(line) < 0 {
		return m.text(line)
	}
	m.r.reset()
	m.r.write(line)
	text, _ := m.r.end()
	return m.text(text)
}

// text reports whether the pattern matches a line, given its text.
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
			if asciiLen(text) == len(text) {
				return false
			}
		}
	}
	return m.p.re.Match(text)
}

// lines calls found with the range, including LF, of each matching line in a block of
// complete lines, until found returns false.
//
// In lines whose bytes are their text, it searches the whole block for the literal. Other
// lines are matched one by one.
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
			dirty = pos + indexOr(firstSpecialByte(block[pos:]), len(block)-pos)
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

// A Pattern matches the text of lines, for searching and filtering. It is safe for
// concurrent use.
type Pattern struct {
	re    *regexp.Regexp
	need  required
	whole []byte // the literal that is equivalent to re in lines of ASCII, subject to need.fold; or empty
}

// FromRegexp returns the Pattern of a regular expression.
func FromRegexp(re *regexp.Regexp) *Pattern {
	p := &Pattern{re: re, need: requiredBy(re.String())}
	if whole, fold, ok := wholeLiteral(re.String()); ok && fold == p.need.fold {
		p.whole = whole
	}
	return p
}

// required is a literal that every matching line contains, so that a search for bytes in
// whole blocks excludes most lines.
type required struct {
	lit  []byte // in lower case if fold; empty: unknown
	fold bool   // ignore the case of ASCII letters
	rare []byte // the bytes of lit that are rarest in text
}

func newRequired(lit []byte, fold bool) required {
	r := required{lit: lit, fold: fold}
	for _, b := range lit {
		// Spaces can result from cursor movement, U+FFFD from invalid bytes.
		if b > ' ' && b < utf8.RuneSelf && !slices.Contains(r.rare, b) {
			r.rare = append(r.rare, b)
		}
	}
	const common = "zqxjkvbpygfwmucldrhsnioate" // the most common last
	slices.SortStableFunc(r.rare, func(a, b byte) int {
		return strings.IndexByte(common, a) - strings.IndexByte(common, b)
	})
	r.rare = r.rare[:min(len(r.rare), 3)]
	return r
}

// requiredBy returns the longest literal that is part of every match of a regular
// expression.
func requiredBy(expr string) required {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return required{}
	}
	return longestRequired(re.Simplify())
}

// wholeLiteral returns the literal that a regular expression is equivalent to in lines of
// ASCII, in lower case if fold. ok is false if the expression is not an ASCII literal.
func wholeLiteral(expr string) (lit []byte, fold, ok bool) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, false, false
	}
	re = re.Simplify()
	if re.Op != syntax.OpLiteral {
		return nil, false, false
	}
	fold = re.Flags&syntax.FoldCase != 0
	for _, c := range re.Rune {
		if c >= utf8.RuneSelf {
			return nil, false, false
		}
		lit = append(lit, byte(c))
	}
	if fold {
		lit = lowerASCII(nil, lit)
	}
	return lit, fold, true
}

func longestRequired(re *syntax.Regexp) required {
	switch re.Op {
	case syntax.OpLiteral:
		return literalRequired(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return longestRequired(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return longestRequired(re.Sub[0])
		}
	case syntax.OpConcat:
		var best required
		for _, sub := range re.Sub {
			if r := longestRequired(sub); len(r.lit) > len(best.lit) {
				best = r
			}
		}
		return best
	}
	return required{}
}

// literalRequired returns the longest part of a literal that every matching line contains
// byte for byte, or with ASCII letters of any case if fold. It excludes k and s if fold,
// because they match letters outside ASCII then, and U+FFFD, which matches invalid bytes.
func literalRequired(runes []rune, fold bool) required {
	parts := strings.FieldsFunc(string(runes), func(c rune) bool {
		if fold {
			return c >= utf8.RuneSelf || strings.ContainsRune("kKsS\n", c)
		}
		return c == utf8.RuneError || c == '\n'
	})
	longest := ""
	for _, p := range parts {
		if len(p) > len(longest) {
			longest = p
		}
	}
	if fold {
		longest = strings.ToLower(longest)
	}
	return newRequired([]byte(longest), fold)
}

// The following functions examine eight bytes at a time. hi is the top bit of each
// byte; (w - lo*n) &^ w & hi is not zero if a byte of w is less than n.
const (
	lo = 0x0101010101010101
	hi = 0x8080808080808080
)

// plainWord reports whether all eight bytes are printable ASCII: none is below space, and
// adding 1 to none sets the top bit.
func plainWord(w uint64) bool { return ((w-lo*0x20)|(w+lo)|w)&hi == 0 }

// isPrintable reports whether b is printable ASCII.
func isPrintable(b byte) bool { return b-' ' < 0x7F-' ' }

// asciiLen returns the number of bytes at the beginning of p that are printable ASCII or
// tab.
func asciiLen(p []byte) int {
	i := 0
	for {
		for i+8 <= len(p) && plainWord(binary.LittleEndian.Uint64(p[i:])) {
			i += 8
		}
		for end := min(i+8, len(p)); i < end; i++ {
			if b := p[i]; !isPrintable(b) && b != '\t' {
				return i
			}
		}
		if i >= len(p) {
			return len(p)
		}
	}
}

// sgrLen returns the length of the complete SGR sequence at the beginning of p, 0 if it
// has none. Most escape sequences in logs are SGR, which does not change the text.
func sgrLen(p []byte) int {
	params, ok := bytes.CutPrefix(p, csi)
	if !ok {
		return 0
	}
	for i, b := range params {
		if b == 'm' {
			return len(csi) + i + 1
		}
		if b < '0' || b > ';' {
			return 0
		}
	}
	return 0
}

var csi = []byte("\x1b[")

// firstSpecialByte returns the index of the first byte of p that makes a line's text
// differ from its bytes, or -1: DEL, the lead byte of C1, and control characters except
// tab, LF and CRs before an LF. It does not detect invalid UTF-8.
func firstSpecialByte(p []byte) int {
	i := 0
	for {
		for i+8 <= len(p) && plainWord(binary.LittleEndian.Uint64(p[i:])) {
			i += 8
		}
		if i >= len(p) {
			return -1
		}
		for end := min(i+8, len(p)); i < end; i++ {
			switch b := p[i]; {
			case isPrintable(b), b == '\n', b == '\t', b > 0x7F && b != 0xC2:
			case b == '\r' && endsLine(p[i+1:]):
			default:
				return i
			}
		}
	}
}

// endsLine reports whether p, after a CR, begins with the end of the line.
func endsLine(p []byte) bool { return len(p) == 0 || p[0] == '\n' || p[0] == '\r' }

// lowerASCII appends p to dst with ASCII letters in lower case.
func lowerASCII(dst, p []byte) []byte {
	n := len(dst)
	dst = append(dst, p...)
	out := dst[n:]
	i := 0
	for ; i+8 <= len(out); i += 8 {
		w := binary.LittleEndian.Uint64(out[i:])
		low := w &^ hi
		upper := (low + lo*(0x80-'A')) &^ (low + lo*(0x7F-'Z')) &^ w & hi
		binary.LittleEndian.PutUint64(out[i:], w|upper>>2)
	}
	for ; i < len(out); i++ {
		if c := out[i]; c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return dst
}
