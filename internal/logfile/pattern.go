package logfile

import "regexp"

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
