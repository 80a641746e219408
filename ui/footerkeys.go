package ui

import (
	"charm.land/bubbles/v2/key"

	"github.com/hobjobs/hob/keymap"
)

func (p *Pane) keyLabel(k key.Binding) string {
	if p.ascii() && len(k.Keys()) > 0 {
		return keymap.ASCIILabel(k.Keys()[0])
	}
	return k.Help().Key
}

// footerKeys are the keys that matter where the focus is; what cannot be done
// now is disabled.
func (p *Pane) footerKeys() []key.Binding {
	if p.over != nil {
		return p.over.keys()
	}
	k := p.opts.keys
	if p.attachment != nil {
		if p.attachment.ended {
			return []key.Binding{k.Ended.LeaveEnded}
		}
		return []key.Binding{k.Terminal.Leave}
	}
	if p.prompt != nil {
		keys := p.prompt.line.ShortHelp()
		if p.prompt.kind == promptSearch {
			keys = append(keys, k.Input.ToggleRegex)
		}
		return keys
	}
	help := []key.Binding{p.possible(k.Panes.Palette, "panes.palette"), p.possible(k.Panes.Help, "panes.help")}
	switch p.focus {
	case areaLog:
		search := p.possible(k.Log.Search, "log.search")
		next := k.Log.NextMatch
		next.SetEnabled(next.Enabled() && p.searching())
		if p.screenShown() {
			toLog := k.Log.Follow
			toLog.SetHelp(toLog.Help().Key, "log")
			return append([]key.Binding{
				k.Panes.Back, p.attachable(k.Log.Attach, "log.attach"), toLog, k.Log.Copy, p.possible(k.Panes.SendLine, "panes.send-line"),
				p.possible(k.Panes.Stop, "panes.stop"), p.zoomKey(),
			}, help...)
		}
		return append([]key.Binding{
			k.Panes.Back, k.Log.Follow, search, next, p.attachable(k.Log.Attach, "log.attach"), k.Log.Copy, k.Log.Wrap,
			p.possible(k.Panes.Stop, "panes.stop"), p.zoomKey(),
		}, help...)
	case areaDetail:
		return append([]key.Binding{
			k.Panes.Back, p.possible(k.Jobs.Open, "jobs.open"), p.attachable(k.Jobs.Attach, "jobs.attach"), p.possible(k.Panes.Stop, "panes.stop"),
			p.possible(k.Jobs.Restart, "jobs.restart"), p.possible(k.Jobs.CopyCommand, "jobs.copy-command"), p.possible(k.Panes.CopyPath, "panes.copy-path"),
		}, help...)
	case areaList, areaNone:
	}
	return append([]key.Binding{
		p.possible(k.Jobs.Open, "jobs.open"), p.attachable(k.Jobs.Attach, "jobs.attach"), k.Jobs.New, p.possible(k.Jobs.Undo, "jobs.undo"), p.possible(k.Panes.Stop, "panes.stop"),
		p.possible(k.Jobs.Clear, "jobs.clear"), p.possible(k.Jobs.Tail, "jobs.tail"), p.possible(k.Jobs.Restart, "jobs.restart"), p.possible(k.Jobs.Filter, "jobs.filter"),
		p.possible(k.Jobs.CopyCommand, "jobs.copy-command"),
	}, help...)
}

// zoomKey is the key that zooms, or takes that back.
func (p *Pane) zoomKey() key.Binding {
	b := p.possible(p.opts.keys.Panes.Zoom, "panes.zoom")
	if p.zoomed {
		b.SetHelp(b.Help().Key, "all panes")
	}
	return b
}

// attachable is possible for the key that attaches, which to a job that has ended
// only shows its output: it is not offered then, though it works.
func (p *Pane) attachable(b key.Binding, id string) key.Binding {
	b = p.possible(b, id)
	b.SetEnabled(b.Enabled() && p.live())
	return b
}

// possible is b, disabled where the action id would be refused now.
func (p *Pane) possible(b key.Binding, id string) key.Binding {
	b.SetEnabled(b.Enabled() && p.refusal(id) == "")
	return b
}

// moreKeys are those for which a second line has room.
func (p *Pane) moreKeys() []key.Binding {
	if p.over != nil || p.screenShown() && p.focus == areaLog {
		return nil
	}
	k := p.opts.keys
	mouse := p.possible(k.Panes.ToggleMouse, "panes.toggle-mouse")
	if p.focus == areaLog {
		return []key.Binding{
			k.Log.Timestamps, k.Log.LineNumbers, k.Log.MatchingOnly, p.possible(k.Log.Jump, "log.jump"), k.Log.Select,
			p.possible(k.Panes.Pager, "panes.pager"), p.possible(k.Panes.Editor, "panes.editor"), p.possible(k.Panes.CopyPath, "panes.copy-path"), mouse,
		}
	}
	return []key.Binding{
		p.possible(k.Jobs.Mark, "jobs.mark"), p.possible(k.Jobs.Sort, "jobs.sort"), p.possible(k.Panes.SendLine, "panes.send-line"), p.possible(k.Panes.Signal, "panes.signal"),
		p.possible(k.Jobs.EditRestart, "jobs.edit-restart"), p.possible(k.Jobs.Remove, "jobs.remove"), p.possible(k.Jobs.ClearFinished, "jobs.clear-finished"), p.zoomKey(),
		mouse,
	}
}
