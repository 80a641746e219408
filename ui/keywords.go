package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
)

// does says what a key does, as it is bound now: "x stops it"; empty if no key
// does it.
func (p *Pane) does(k key.Binding, what string) string {
	if !k.Enabled() || len(k.Keys()) == 0 {
		return ""
	}
	return p.keyLabel(k) + " " + what
}

// with adds advice to a sentence, as far as there is any.
func with(sentence, mark string, advice ...string) string {
	var there []string
	for _, a := range advice {
		if a != "" {
			there = append(there, a)
		}
	}
	if len(there) == 0 {
		return sentence
	}
	return sentence + mark + " " + strings.Join(there, ", ")
}

// answering says how a job that waits gets its input.
func (p *Pane) answering() string {
	k := p.opts.keys
	return with("for input", ":", p.does(k.Jobs.Attach, "attaches"), p.does(k.Panes.SendLine, "sends a line"))
}
