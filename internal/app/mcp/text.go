package mcp

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/logfile"
)

// clean returns the text that a terminal would show for p: escape sequences and control
// characters are removed; carriage returns, backspaces and erased line ends are applied.
func clean(p []byte) string {
	// Records that end in NUL, such as those of find -print0, become lines.
	if n := bytes.Count(p, []byte{0}); n > 0 && 3*n <= len(p) && !bytes.Contains(p, []byte{0, 0}) {
		p = bytes.ReplaceAll(p, []byte{0}, []byte{'\n'})
	}
	return shown(string(logfile.Text(p)))
}

// shown removes characters that [visible] drops.
func shown(s string) string { return strings.Map(visible, s) }

// visible drops control characters, and those in which text can be hidden from readers:
// direction marks and tag characters.
func visible(r rune) rune {
	switch {
	case cells.Reorders(r), r >= 0xe0000 && r <= 0xe007f:
		return -1
	case r != '\n' && r != '\t' && unicode.IsControl(r):
		return -1
	}
	return r
}

// oneLine returns s on one line, with at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(clean([]byte(s))), " ")
	if utf8.RuneCountInString(s) > n {
		s = logfile.FirstRunes(s, n-1) + "…"
	}
	return s
}

// A lineFilter selects lines by their text.
type lineFilter struct{ keep, drop *regexp.Regexp } // nil: no condition

func newLineFilter(in processArgs) (f lineFilter, err error) {
	if f.keep, err = pattern("filter", in.Filter); err == nil {
		f.drop, err = pattern("exclude", in.Exclude)
	}
	return f, err
}

func pattern(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, usage(fmt.Sprintf("%s is not a regular expression: %v", name, err),
			"it uses Go regexp syntax (RE2); escape special characters with a backslash")
	}
	return re, nil
}

// some reports whether there is any condition.
func (f lineFilter) some() bool { return f.keep != nil || f.drop != nil }

// keeps reports whether one of texts matches keep and none matches drop. The texts are a
// line, or the names of a job.
func (f lineFilter) keeps(texts ...string) bool {
	return (f.keep == nil || slices.ContainsFunc(texts, f.keep.MatchString)) &&
		(f.drop == nil || !slices.ContainsFunc(texts, f.drop.MatchString))
}

// again returns the arguments that repeat the filter in another call.
func (f lineFilter) again() (params []any) {
	if f.keep != nil {
		params = append(params, "filter", f.keep.String())
	}
	if f.drop != nil {
		params = append(params, "exclude", f.drop.String())
	}
	return params
}

// lines returns the lines of text that the filter keeps.
func (f lineFilter) lines(text string) string {
	if !f.some() {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if f.keeps(strings.TrimSuffix(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}
