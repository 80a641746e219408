package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
)

// labels has the appearance of a pane, and its methods the words for keys, jobs and hints. They
// depend on the options of the pane, but not on what it shows.
type labels struct {
	opts   options
	styles *themes.Styles // shared with the components
}

// filterText returns a filter of the list as it is shown: "/web".
func (l *labels) filterText(filter string) string {
	return "/" + cells.Truncate(cells.Clean(filter), 20, l.opts.glyphs.Ellipsis)
}

// matching returns the end of a phrase about the jobs that a filter leaves: " matching /web". It is
// empty without a filter.
func (l *labels) matching(filter string) string {
	if filter == "" {
		return ""
	}
	return " matching " + l.filterText(filter)
}

// dotted joins the texts that are not empty.
func (l *labels) dotted(words ...string) string {
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	return strings.Join(words, " "+l.opts.glyphs.Dot+" ")
}

func (l *labels) sizeText(s engine.Size) string {
	return strconv.Itoa(s.Cols) + l.opts.glyphs.Times + strconv.Itoa(s.Rows)
}
