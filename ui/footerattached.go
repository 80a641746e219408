package ui

import (
	"strconv"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// narrowHint is the width from which on there is room for why a key is to be
// pressed twice.
const narrowHint = 80

// leaveHint says what the leave key does, and how often it is to be pressed
// where a program around hob takes the first press.
func (p *Pane) leaveHint() string {
	k := p.opts.keys.Terminal.Leave
	if !k.Enabled() {
		return "no key leaves an attached job"
	}
	label := p.keyLabel(k)
	if len(k.Keys()) > 0 && k.Keys()[0] == p.opts.prefix {
		if p.w < narrowHint {
			return label + " " + label + " background"
		}
		return label + " " + label + " background (tmux takes one)"
	}
	return label + " background"
}

// helpHint says how to see all keys from an attached job: through the panes. It is
// empty where that takes more than two presses, and where leaving leads elsewhere or
// another program decides that.
func (p *Pane) helpHint() string {
	leave, help := p.opts.keys.Terminal.Leave, p.opts.keys.Panes.Help
	if !p.opts.program || p.attachment.fore && p.opts.toShell || !leave.Enabled() || !help.Enabled() || len(leave.Keys()) == 0 || leave.Keys()[0] == p.opts.prefix {
		return ""
	}
	return p.keyLabel(leave) + " " + p.keyLabel(help) + " keys"
}

// firstWords tell somebody without jobs of the one key that is not on any
// other screen.
func (p *Pane) firstWords() []string {
	k := p.opts.keys.Terminal.Leave
	if !k.Enabled() || len(k.Keys()) == 0 {
		return nil
	}
	label := p.keyLabel(k)
	words := []string{label + " sends a job that has the keyboard to the background."}
	if k.Keys()[0] == p.opts.prefix {
		words = append(words, "tmux takes the first "+label+": press it twice.")
	}
	return words
}

// shortestName is how much of a name the line under an attached job has at least,
// before it says more of the job.
const shortestName = 8

// footerAttached is the one line under a job that owns the keyboard: who it is,
// how it stands, what the leave key does.
func (p *Pane) footerAttached(w int) string {
	a := p.attachment
	j, known := p.jobs[a.id]
	if !known {
		j = &job{Job: engine.Job{Request: engine.Request{ID: a.id, Name: string(a.id)}, State: engine.State{Status: engine.Starting}}}
	}
	s := p.styles
	right, aside := p.leaveWords(a)
	right = p.withAside(cells.End(right, w-2, p.opts.glyphs.Ellipsis), aside, w-2)
	badge := p.badge.View(j.Job)
	if a.ended && !j.Status.Finished() {
		badge = s.Terminal.Ended.Render("ended") // the record follows the screen
	}
	name := cells.Clean(j.Name)
	if name == "" {
		name = string(j.ID)
	}
	room := w - cells.Width(right) - 1
	if room < cells.Width(p.badge.Glyph(j.Job))+2 {
		return cells.Fit(" "+s.Footer.Key.Render(right), w)
	}
	// What does not fit behind a name that can be told from others is left out:
	// first what is known anyway.
	if 3+cells.Width(badge)+min(shortestName, cells.Width(name)) > room-2 {
		badge = p.badge.Style(j.Job).Render(p.badge.Glyph(j.Job))
	}
	left, behind := " "+badge+"  ", ""
	for _, text := range p.attachedState(a, j) {
		if text != "" && cells.Width(left)+shortestName+cells.Width(behind)+2+cells.Width(text) <= room-2 {
			behind += "  " + text
		}
	}
	if len(aside) == 0 && !a.ended && a.failed == "" {
		if help := p.helpHint(); help != "" && cells.Width(left)+cells.Width(name)+cells.Width(behind)+2+cells.Width(help)+3 <= room {
			right += "   " + help
			room -= 3 + cells.Width(help)
		}
	}
	name = cells.Middle(name, max(0, room-2-cells.Width(left)-cells.Width(behind)), p.opts.glyphs.Ellipsis)
	left += s.Footer.State.Render(name) + s.Footer.Desc.Render(behind)
	return cells.Fit(left, room) + s.Footer.Key.Render(right) + " "
}

// leaveWords say how to leave, and aside, from the longest form to the shortest, what
// else is to be known of the keyboard or the screen now.
func (p *Pane) leaveWords(a *attachment) (leave string, aside []string) {
	switch {
	case a.failed != "":
		return p.opts.keys.Ended.LeaveEnded.Help().Key + " to leave", []string{a.failed}
	case a.ended:
		return p.opts.keys.Ended.LeaveEnded.Help().Key + " to leave", nil
	case p.term.ScrolledBack() > 0:
		return p.leaveHint(), []string{strconv.Itoa(p.term.ScrolledBack()) + " rows back"}
	}
	who, us := p.term.Controller()
	if who == "" || us || a.session == nil {
		return p.leaveHint(), nil
	}
	if who = cells.Clean(who); who == client {
		who = "another hob" // of a person, too
	}
	return p.leaveHint(), []string{who + " has the keyboard, typing takes it", who + " has the keyboard", who + " types"}
}

// withAside puts in front of leave what fits of aside into w cells. The key that
// leaves matters more than anything else there is to say, then which job it is; what
// is cut to less than a few words says nothing.
func (p *Pane) withAside(leave string, aside []string, w int) string {
	const least, shortest = 4 + shortestName + 2, 12
	room := w - cells.Width(leave) - 2
	for i, text := range aside {
		last := i == len(aside)-1
		switch {
		case cells.Width(text) <= room-least, last && cells.Width(text) <= room:
			return text + "  " + leave
		case last && room >= shortest:
			return cells.End(text, room, p.opts.glyphs.Ellipsis) + "  " + leave
		}
	}
	return leave
}

// attachedState says how long the job has run and how it is looked at; words may be
// empty.
func (p *Pane) attachedState(a *attachment, j *job) []string {
	up, word := "", ""
	if !j.StartedAt.IsZero() && (j.Status.Finished() || !p.opts.calm) {
		up = units.FormatDuration(j.Uptime(p.now))
	}
	switch {
	case a.ended:
	case a.session == nil && !a.viaLog:
		word = "attaching" + p.opts.glyphs.Ellipsis
	case j.Backgrounded:
		word = "attached"
	}
	return []string{up, word}
}
