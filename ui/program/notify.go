package program

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui"
)

// notify sends the notifications of the settings for an event that the user did not see.
func (w *window) notify(msg ui.AttentionMsg) tea.Cmd {
	var b strings.Builder
	means := w.o.Notify.of(msg.Why)
	if msg.Note.Urgency == engine.UrgencyLow { // such as a song that has begun
		means.Bell = false
	}
	// Ring at most once a second, and notify of each job at most once in that time.
	if means.Bell && len(w.rang) == 0 {
		b.WriteByte('\a')
	}
	if means.Desktop && !w.focused && !slices.Contains(w.rang, msg.Job.ID) {
		b.WriteString(w.desktop(string(msg.Job.ID), "hob", msg.Text, msg.Note.Urgency))
	}
	if b.Len() == 0 {
		return nil
	}
	cmd := tea.Raw(b.String())
	if w.rang = append(w.rang, msg.Job.ID); len(w.rang) > 1 {
		return cmd
	}
	return tea.Batch(cmd, w.after(time.Second, func() tea.Cmd {
		w.rang = nil
		return nil
	}))
}

// notificationQuery asks the terminal which parts of notifications of kitty (OSC 99) it understands. The answer
// begins with notificationAnswer.
const (
	notificationQuery  = "\x1b]99;i=hob:p=?;\x1b\\"
	notificationAnswer = "\x1b]99;i=hob:p=?"
)

// kittyUrgency are the urgencies of OSC 99 other than the normal one.
var kittyUrgency = map[engine.Urgency]string{engine.UrgencyLow: "0", engine.UrgencyCritical: "2"}

func askForNotifications() tea.Msg { return tea.RawMsg{Msg: notificationQuery} }

// desktop returns the escape sequences for a desktop notification. It replaces an earlier one with the same id in
// terminals that understand OSC 99. Inside tmux it is wrapped, so that tmux passes it on if configured to.
func (w *window) desktop(id, title, text string, urgency engine.Urgency) string {
	title, text = cells.Clean(title), cells.Clean(text)
	if w.kittyNotes {
		if u, urges := kittyUrgency[urgency]; urges {
			id += ":u=" + u
		}
		return "\x1b]99;i=" + id + ":d=0;" + title + "\x1b\\\x1b]99;i=" + id + ":p=body;" + text + "\x1b\\"
	}
	title, text = strings.ReplaceAll(title, ";", ","), strings.ReplaceAll(text, ";", ",")
	seq := "\x1b]9;" + title + ": " + text + "\a"
	if term := variable(w.o.Environ, "TERM"); strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") {
		seq = "\x1b]777;notify;" + title + ";" + text + "\a"
	}
	if variable(w.o.Environ, "TMUX") != "" {
		seq = "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	return seq
}
