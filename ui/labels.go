package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// labels has the appearance of a pane and its bindings. Every part of the pane that draws or explains
// something uses its words for keys, jobs and hints. They depend on the options of the pane, but not on what it
// shows.
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

// keyLabel returns the first key of a binding as this terminal can show it.
func (l *labels) keyLabel(k key.Binding) string {
	label := k.Help().Key
	beyondASCII := func(r rune) bool { return r >= utf8.RuneSelf }
	if l.ascii() && len(k.Keys()) > 0 && strings.ContainsFunc(label, beyondASCII) {
		return keymap.ASCIILabel(k.Keys()[0])
	}
	return label
}

// keyLabels returns all keys of an action as this terminal can show them.
func (l *labels) keyLabels(a keymap.Action) []string {
	if !l.ascii() {
		return a.Keys()
	}
	labels := []string{}
	for _, k := range a.Binding.Keys() {
		labels = append(labels, keymap.ASCIILabel(k))
	}
	return labels
}

func (l *labels) ascii() bool { return l.opts.glyphs.Running[0] < 0x80 }

// isBound reports whether a key is bound to an action that is enabled.
func isBound(k key.Binding) bool { return k.Enabled() && len(k.Keys()) > 0 }

// does returns the key with what it does, such as "x stop", or "" if no key is bound.
func (l *labels) does(k key.Binding, what string) string {
	if !isBound(k) {
		return ""
	}
	return l.keyLabel(k) + " " + what
}

// answering returns the keys that send input to a job.
func (l *labels) answering() string {
	k := l.opts.keys
	return l.dotted(l.does(k.Jobs.Attach, "attach"), l.does(k.Panes.SendLine, "send line"))
}

func (l *labels) shortName(j engine.Job) string {
	return cells.Name(cells.Clean(j.Name), 30, l.opts.glyphs.Ellipsis)
}

// allNames are the jobs by name, up to a few lines of them.
func (l *labels) allNames(jobs []engine.Job) string {
	const most = 8
	var names []string
	for _, j := range jobs[:min(len(jobs), most)] {
		names = append(names, l.shortName(j))
	}
	text := strings.Join(names, ", ")
	if more := len(jobs) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// names are the jobs in a few words.
func (l *labels) names(jobs []engine.Job) string {
	switch len(jobs) {
	case 0:
		return "nothing"
	case 1:
		return l.shortName(jobs[0])
	case 2:
		return l.shortName(jobs[0]) + " and " + l.shortName(jobs[1])
	}
	return fmt.Sprintf("%s and %d more", l.shortName(jobs[0]), len(jobs)-1)
}

// subject returns the beginning of a sentence about jobs: "web is", "3 jobs are".
func (l *labels) subject(jobs []engine.Job) string {
	if len(jobs) == 1 {
		return l.shortName(jobs[0]) + " is"
	}
	return strconv.Itoa(len(jobs)) + " jobs are"
}

// hintOf draws a key and what it does, like the keys of the last line below the panes.
func (l *labels) hintOf(presses, does string) string {
	return l.styles.Key.Render(presses) + " " + l.styles.Muted.Render(does)
}
