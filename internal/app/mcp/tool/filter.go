package tool

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A lineFilter selects lines by their text.
type lineFilter struct{ keep, drop *regexp.Regexp } // nil: no condition

func newLineFilter(filter, exclude string) (f lineFilter, err error) {
	if f.keep, err = pattern("filter", filter); err == nil {
		f.drop, err = pattern("exclude", exclude)
	}
	return f, err
}

func pattern(name, text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, Usage(fmt.Sprintf("%s is not a regular expression: %v", name, err),
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
