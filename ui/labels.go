package ui

import "github.com/hobjobs/hob/themes"

// labels has the appearance of a pane, and its methods the words for keys, jobs and hints. They
// depend on the options of the pane, but not on what it shows.
type labels struct {
	opts   options
	styles *themes.Styles // shared with the components
}
