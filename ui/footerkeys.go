package ui

import (
	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/keymap"
)

// footerKeys returns the keys for the focused pane, in groups, most important first. Keys of
// unavailable actions are disabled.
func (p *Pane) footerKeys() [][]key.Binding {
	k := p.opts.keys
	switch {
	case p.over != nil:
		return [][]key.Binding{p.over.ShortHelp()}
	case p.attachment != nil && (p.attachment.ended || p.attachment.failed != ""):
		return [][]key.Binding{{k.Ended.LeaveEnded}}
	case p.attachment != nil:
		return [][]key.Binding{{k.Terminal.Leave}}
	case p.prompt != nil:
		return [][]key.Binding{append(p.prompt.line.ShortHelp(), p.prompt.keys...)}
	}
	general := []string{"panes.help"}
	if p.quits() && p.w < quitFooter {
		general = append(general, "panes.quit")
	}
	var groups [][]key.Binding
	for _, ids := range append(p.footers(), general) {
		group := make([]key.Binding, 0, len(ids))
		for _, id := range ids {
			group = append(group, p.hinted(id))
		}
		groups = append(groups, group)
	}
	return groups
}

// hinted returns the key of an action as shown in the footer.
func (p *Pane) hinted(id string) key.Binding {
	a := p.actions[id]
	b := a.Binding
	b.SetEnabled(b.Enabled() && p.refusal(a) == "")
	if a.hint != nil {
		a.hint(p, &b)
	}
	return b
}

// hintZoom adjusts the key that zooms or unzooms.
func (p *Pane) hintZoom(b *key.Binding) {
	if p.zoomed {
		b.SetHelp(b.Help().Key, "unzoom")
	}
}

// hintOpen adjusts the key that opens the log, or unfolds old jobs if their row is selected. There
// may be no room for the log.
func (p *Pane) hintOpen(b *key.Binding) {
	on, unfolded := p.onFold()
	if !on || p.focus != areaList {
		b.SetEnabled(b.Enabled() && p.lay.shape != shapeBare)
		return
	}
	b.SetEnabled(len(b.Keys()) > 0)
	b.SetHelp(b.Help().Key, "unfold")
	if unfolded {
		b.SetHelp(b.Help().Key, "fold")
	}
}

// hintAttach hides attach for a finished job: it works, but only shows the output.
func (p *Pane) hintAttach(b *key.Binding) { b.SetEnabled(b.Enabled() && p.live()) }

// hintSendLine shows the key only for a job that needs input.
func (p *Pane) hintSendLine(b *key.Binding) {
	j, ok := p.jobs[p.shown.id]
	b.SetEnabled(b.Enabled() && ok && j.Waiting)
}

func (p *Pane) hintNextMatch(b *key.Binding) { b.SetEnabled(b.Enabled() && p.searching()) }

// hintFollow adjusts the key that follows the log or pauses that, or returns from a job's screen
// to its log.
func (p *Pane) hintFollow(b *key.Binding) {
	switch {
	case p.screenShown():
		b.SetHelp(b.Help().Key, "show log")
	case p.log.Following() && p.live():
		b.SetHelp(b.Help().Key, "pause")
	}
}

// hintQuit adjusts the quit key of an embedded pane, which only returns the focus.
func (p *Pane) hintQuit(b *key.Binding) {
	if !p.opts.program {
		b.SetHelp(b.Help().Key, "back")
	}
}

// keyLabel returns the first key of a binding as this terminal can show it.
func (p *Pane) keyLabel(k key.Binding) string {
	if p.ascii() && len(k.Keys()) > 0 {
		return keymap.ASCIILabel(k.Keys()[0])
	}
	return k.Help().Key
}

// keyLabels returns all keys of an action as this terminal can show them.
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

// does returns the key with what it does, such as "x stop", or "" if no key is bound.
func (p *Pane) does(k key.Binding, what string) string {
	if !k.Enabled() || len(k.Keys()) == 0 {
		return ""
	}
	return p.keyLabel(k) + " " + what
}

// hintUndo shows the key while the message about the clear is visible.
func (p *Pane) hintUndo(b *key.Binding) { b.SetEnabled(b.Enabled() && len(p.undo) > 0) }

// answering returns the keys that send input to a job.
func (p *Pane) answering() string {
	k := p.opts.keys
	return p.dotted(p.does(k.Jobs.Attach, "attach"), p.does(k.Panes.SendLine, "send line"))
}
