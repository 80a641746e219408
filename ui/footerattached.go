package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// leaveHint describes what the leave key does with the attached job. A job that is already in the
// background is only detached.
func (p *Pane) leaveHint() string {
	if !p.opts.keys.Terminal.Leave.Enabled() {
		return p.styles.Muted.Render("no key detaches from a job")
	}
	does := "background"
	if a := p.fore.attached(); a != nil {
		if p.jobs.backgrounded(a.id) {
			does = "detach"
		}
	}
	presses, keepers := p.leaveKey()
	switch {
	case len(keepers) == 0:
		return p.hintOf(presses, does)
	case len(keepers) > 1, p.view.w < narrowHint:
		return p.hintOf(presses+":", does)
	}
	return p.hintOf(presses+":", does+" ("+keepers[0]+" keeps the first)")
}

// helpHint describes how to see all keys from an attached job: detach, then help. It is empty if
// that takes more than two presses, or if detaching does not lead to the panes.
func (p *Pane) helpHint() string {
	leave, help := p.opts.keys.Terminal.Leave, p.opts.keys.Panes.Help
	presses, keepers := p.leaveKey()
	toPanes := !p.fore.job.byHost || p.opts.leave != LeaveToHost
	switch {
	case !p.opts.program, !toPanes, len(keepers) > 0, !leave.Enabled(), !help.Enabled():
		return ""
	}
	return p.hintOf(presses+" "+p.keyLabel(help), "help")
}

// shortestName is the minimum width of the name below an attached job, before other facts are
// shown.
const shortestName = 8

// mostStars is how many characters of hidden input are shown, as stars.
const mostStars = 12

// helpGap is the blank between the leave key and help.
const helpGap = 3

// leastNotice is the minimum width of a message beside the status.
const leastNotice = 30

// footerAttached returns the line below an attached job: name, status, and on the right what the
// leave key does. A message replaces the name.
func (p *Pane) footerAttached(w int) string {
	a := p.fore.job
	j, known := p.jobs.all[a.id]
	if !known {
		j = &job{Job: engine.Job{Request: engine.Request{ID: a.id, Name: string(a.id)}, State: engine.State{Status: engine.Starting}}}
	}
	leave, aside := p.leaveWords(a)
	line := attachedLine{
		labels: p.labels,
		w:      w,
		job:    j.Job,
		ended:  p.fore.ended(),
		typed:  a.line,
		right:  p.withAside(cells.Truncate(leave, w-2, p.opts.glyphs.Ellipsis), aside, w-2),
		facts:  p.attachedState(a, j),
	}
	if len(aside) == 0 && !p.fore.closable() {
		line.help = p.helpHint()
	}
	if p.notice(w) == "" {
		return line.draw()
	}
	return line.drawNotice(p.notice)
}

// attachedLine is what the line below an attached job shows.
type attachedLine struct {
	*labels
	w     int
	job   engine.Job
	ended bool     // its terminal has ended, possibly before the record
	typed int      // characters of the line that the user types
	right string   // what the leave key does
	help  string   // how to see all keys
	facts []string // most important first; each may be empty
}

// badge returns the status, and its short form.
func (l *attachedLine) badge() (long, brief string) {
	style, glyph := statusbadge.Style(l.styles, l.job), statusbadge.Glyph(l.styles, l.job)
	long, brief = statusbadge.View(l.styles, l.job), style.Render(glyph)
	switch {
	case l.ended:
		if !l.job.Status.Finished() { // the record is written after the screen
			long = l.styles.Strong.Render("ended")
		}
	case l.job.Entry == engine.EntryHidden: // nothing appears while the user types, which looks like a fault
		typed := ""
		if l.typed > 0 {
			typed = " " + strings.Repeat("*", min(l.typed, mostStars))
		}
		long, brief = style.Render(glyph+" input hidden"+typed), style.Render(glyph+" hidden"+typed)
	}
	return long, brief
}

// drawNotice draws the line with messages in place of the name. notice returns them in at most w columns.
func (l *attachedLine) drawNotice(notice func(w int) string) string {
	leave := cells.Width(l.right) + keyGap + 1
	if l.w <= leave {
		return l.draw()
	}
	badge, _ := l.badge()
	left := " " + badge + cells.Blank(keyGap)
	if l.w-leave-cells.Width(left) < leastNotice {
		left = " "
	}
	left += notice(l.w - leave - cells.Width(left))
	return cells.Fit(left, l.w-leave+1) + cells.Blank(keyGap-1) + l.right + " "
}

// draw draws the line. It leaves out what does not fit after a recognizable part of the name, least
// important facts first.
func (l *attachedLine) draw() string {
	name := cmp.Or(cells.Clean(l.job.Name), string(l.job.ID))
	right, room := l.right, l.w-cells.Width(l.right)-1
	if room < cells.Width(statusbadge.Glyph(l.styles, l.job))+2 {
		return cells.Fit(" "+right, l.w)
	}
	badge, brief := l.badge()
	if 3+cells.Width(badge)+min(shortestName, cells.Width(name)) > room-2 {
		badge = brief
	}
	left, behind := " "+badge+"  ", ""
	used := func() int { return cells.Width(left) + cells.Width(behind) + 2 }
	for _, text := range slices.DeleteFunc(l.facts, func(fact string) bool { return fact == "" }) {
		if used()+shortestName+cells.Width(text) <= room-2 {
			behind += "  " + text
		}
	}
	if helpWidth := cells.Width(l.help) + helpGap; l.help != "" && used()+cells.Width(name)+helpWidth <= room {
		right += cells.Blank(helpGap) + l.help
		room -= helpWidth
	}
	name = cells.TruncateMiddle(name, max(0, room-used()), l.opts.glyphs.Ellipsis)
	left += l.styles.Strong.Render(name) + l.styles.Muted.Render(behind)
	return cells.Fit(left, room) + right + " "
}

// clickAttached presses the keys at a column of the line below an attached job: the leave key, or
// the two of help.
func (p *Pane) clickAttached(a *attachment, x int) tea.Cmd {
	leave, _ := p.leaveWords(a)
	end, leaves := p.view.w-1, p.footerKeys()[0][0]
	if help := p.helpHint(); help != "" && strings.HasSuffix(p.footerAttached(p.view.w), help+" ") {
		if end -= cells.Width(help); x >= end {
			return tea.Batch(p.pressBinding(leaves), p.pressBinding(p.opts.keys.Panes.Help))
		}
		end -= helpGap
	}
	if x < end-cells.Width(leave) {
		return nil
	}
	return p.pressBinding(leaves)
}

// leaveWords returns how to detach and, from the longest form to the shortest, other facts about
// keyboard or screen.
func (p *Pane) leaveWords(a *attachment) (leave string, aside []string) {
	switch {
	case a.failed != "":
		return p.hintOf(p.keyLabel(p.opts.keys.Ended.LeaveEnded), "to close"), []string{a.failed}
	case p.fore.ended():
		return p.hintOf(p.keyLabel(p.opts.keys.Ended.LeaveEnded), "to close"), nil
	case p.fore.term.ScrolledBack() > 0:
		return p.leaveHint(), []string{strconv.Itoa(p.fore.term.ScrolledBack()) + " rows back"}
	}
	who, us := p.fore.term.Controller()
	if who == "" || us || a.session == nil {
		return p.leaveHint(), nil
	}
	if who = cells.Clean(who); who == client {
		who = "another window"
	}
	return p.leaveHint(), []string{"controlled by " + who + " " + p.opts.glyphs.Dot + " type to take over", "controlled by " + who, who + " types"}
}

// withAside puts as much of aside as fits into w cells before leave. The leave key is most
// important, then the job's name. A note cut to less than a few words is left out.
func (l *labels) withAside(leave string, aside []string, w int) string {
	const least, shortest = 4 + shortestName + 2, 12
	room := w - cells.Width(leave) - 2
	for i, text := range aside {
		last := i == len(aside)-1
		switch {
		case cells.Width(text) <= room-least, last && cells.Width(text) <= room:
			return l.styles.Text.Render(text) + "  " + leave
		case last && room >= shortest:
			return l.styles.Text.Render(cells.Truncate(text, room, l.opts.glyphs.Ellipsis)) + "  " + leave
		}
	}
	return leave
}

// attachedState returns the job's host, its run time and how it is shown, most important first.
// Each may be empty.
func (p *Pane) attachedState(a *attachment, j *job) []string {
	up, word := "", ""
	if !j.StartedAt.IsZero() && (j.Status.Finished() || !p.opts.calm) {
		up = units.FormatDuration(j.Uptime(p.now))
	}
	if j.Status == engine.Queued {
		up = j.WaitReason(p.now)
	}
	switch {
	case p.fore.ended():
	case a.session == nil && !a.viaLog:
		word = "attaching" + p.opts.glyphs.Ellipsis
	case j.Backgrounded:
		word = "attached"
	}
	host := ""
	if j.Host != "" {
		host = "on " + cells.Clean(j.Host)
	}
	return []string{host, up, word}
}
