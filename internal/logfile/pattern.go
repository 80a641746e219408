package logfile

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Pattern is what lines are searched or filtered for, in their text, one line
// at a time. It is safe for concurrent use.
type Pattern struct {
	re    *regexp.Regexp // nil: the literal alone decides
	need  required
	whole []byte // the literal that re stands for in lines of ASCII, as need.fold says; or empty
}

// Case says whether a pattern tells upper from lower case.
type Case int

const (
	// Smart ignores case unless the pattern has an upper-case letter.
	Smart Case = iota
	// Exact tells them apart.
	Exact
	// Ignore does not.
	Ignore
)

// Regexp compiles a regular expression (RE2 syntax).
func Regexp(expr string, c Case) (*Pattern, error) {
	if c == Ignore || c == Smart && !hasUpper(expr) {
		expr = "(?i:" + expr + ")"
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	return FromRegexp(re), nil
}

// FromRegexp uses a compiled regular expression as it is.
func FromRegexp(re *regexp.Regexp) *Pattern {
	p := &Pattern{re: re, need: requiredBy(re.String())}
	if whole, fold, ok := wholeLiteral(re.String()); ok && fold == p.need.fold {
		p.whole = whole
	}
	return p
}

// Literal looks for text as it stands. ASCII letters alone make it ignore the
// case of ASCII letters only.
func Literal(text string, c Case) *Pattern {
	fold := c == Ignore || c == Smart && strings.IndexFunc(text, unicode.IsUpper) < 0
	text = strings.ToValidUTF8(text, "\uFFFD")
	ascii := strings.IndexFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) < 0
	switch {
	case fold && !ascii:
		return FromRegexp(regexp.MustCompile("(?i:" + regexp.QuoteMeta(text) + ")"))
	case strings.ContainsRune(text, utf8.RuneError): // stands for invalid bytes
		return FromRegexp(regexp.MustCompile(regexp.QuoteMeta(text)))
	case fold:
		text = strings.ToLower(text)
	}
	return &Pattern{need: newRequired([]byte(text), fold)}
}

// hasUpper tells whether a regular expression has an upper-case letter that
// stands for itself.
func hasUpper(expr string) bool {
	for i := 0; i < len(expr); {
		if expr[i] == '\\' {
			i++
			if i < len(expr) && (expr[i] == 'p' || expr[i] == 'P') {
				i++ // a class of characters, its name follows
				if strings.HasPrefix(expr[i:], "{") {
					i += strings.IndexByte(expr[i:]+"}", '}')
				}
			}
			i++
			continue
		}
		c, n := utf8.DecodeRuneInString(expr[i:])
		if unicode.IsUpper(c) {
			return true
		}
		i += n
	}
	return false
}

// FindAll is every match in a line's text, for marking them; empty ones are
// left out.
func (p *Pattern) FindAll(text string) [][2]int {
	var all [][2]int
	if p.re != nil {
		for _, m := range p.re.FindAllStringIndex(text, -1) {
			if m[1] > m[0] {
				all = append(all, [2]int{m[0], m[1]})
			}
		}
		return all
	}
	if len(p.need.lit) == 0 {
		return nil
	}
	hay := []byte(text)
	if p.need.fold {
		hay = lowerASCII(nil, hay)
	}
	for off := 0; ; {
		i := bytes.Index(hay[off:], p.need.lit)
		if i < 0 {
			return all
		}
		all = append(all, [2]int{off + i, off + i + len(p.need.lit)})
		off += i + len(p.need.lit)
	}
}
