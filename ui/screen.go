package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
)

// pressScreen handles the log's keys while the screen is shown.
func (p *Pane) pressScreen(msg tea.KeyPressMsg) tea.Cmd {
	if keymap.Match(msg, p.opts.keys.Log.Copy) {
		return p.notices.copied(strings.TrimRight(p.output.screen.Text(), "\n"), "screen")
	}
	if _, bound := p.actions.boundTo(msg, "log"); bound {
		return p.notices.refuse(p.noLog())
	}
	return nil
}

// noLog explains why an action of the log is not available.
func (l *labels) noLog() string {
	k := l.opts.keys.Log
	return l.dotted("This is the job's screen", l.does(k.Follow, "show log"), l.does(k.Attach, "attach"))
}
