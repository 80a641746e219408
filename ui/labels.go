package ui

import (
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
