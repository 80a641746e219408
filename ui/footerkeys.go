package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/keymap"
)

// footerKeys are the keys that matter where the focus is, and more of them for a
// second line; what cannot be done now is disabled.
func (p *Pane) footerKeys() (first, more []key.Binding) {
	k := p.opts.keys
	switch {
	case p.over != nil:
		return p.over.ShortHelp(), nil
	case p.attachment != nil && p.attachment.ended:
		return []key.Binding{k.Ended.LeaveEnded}, nil
	case p.attachment != nil:
		return []key.Binding{k.Terminal.Leave}, nil
	case p.prompt != nil:
		return append(p.prompt.line.ShortHelp(), p.prompt.keys...), nil
	}
	names, others := p.footers()
	for _, id := range append(names, "panes.palette", "panes.help") {
		first = append(first, p.hinted(id))
	}
	for _, id := range others {
		more = append(more, p.hinted(id))
	}
	return first, more
}

// hinted is the key of an action as the footer shows it.
func (p *Pane) hinted(id string) key.Binding {
	a := p.actions[id]
	b := a.Binding
	b.SetEnabled(b.Enabled() && p.refusal(a) == "")
	if a.hint != nil {
		a.hint(p, &b)
	}
	return b
}

// hintZoom is for the key that zooms, or takes that back.
func (p *Pane) hintZoom(b *key.Binding) {
	if p.zoomed {
		b.SetHelp(b.Help().Key, "all panes")
	}
}

// hintAttach does not offer to attach to a job that has ended, which works, but
// only shows its output.
func (p *Pane) hintAttach(b *key.Binding) { b.SetEnabled(b.Enabled() && p.live()) }

func (p *Pane) hintNextMatch(b *key.Binding) { b.SetEnabled(b.Enabled() && p.searching()) }

// hintFollow is for the key that leads back from the screen of a job to its log.
func (p *Pane) hintFollow(b *key.Binding) {
	if p.screenShown() {
		b.SetHelp(b.Help().Key, "log")
	}
}

// keyLabel is the first key of a binding as this terminal can show it.
func (p *Pane) keyLabel(k key.Binding) string {
	if p.ascii() && len(k.Keys()) > 0 {
		return keymap.ASCIILabel(k.Keys()[0])
	}
	return k.Help().Key
}

// keyLabels are all keys of an action as this terminal can show them.
func (p *Pane) keyLabels(a keymap.Action) []string {
	if !p.ascii() {
		return a.Keys()
	}
	labels := []string{}
	for _, k := range a.Binding.Keys() {
		labels = append(labels, keymap.ASCIILabel(k))
	}
	return labels
}

func (p *Pane) ascii() bool { return p.opts.glyphs.Running[0] < 0x80 }

// does names what a key does, as it is bound now: "x stops it"; empty if no key
// does it.
func (p *Pane) does(k key.Binding, what string) string {
	if !k.Enabled() || len(k.Keys()) == 0 {
		return ""
	}
	return p.keyLabel(k) + " " + what
}

// with adds advice to a sentence, as far as there is any.
func with(sentence, mark string, advice ...string) string {
	advice = slices.DeleteFunc(advice, func(s string) bool { return s == "" })
	if len(advice) == 0 {
		return sentence
	}
	return sentence + mark + " " + strings.Join(advice, ", ")
}

// answering describes how a job that waits gets its input.
func (p *Pane) answering() string {
	k := p.opts.keys
	return with("for input", ":", p.does(k.Jobs.Attach, "attaches"), p.does(k.Panes.SendLine, "sends a line"))
}
