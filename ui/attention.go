package ui

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/statusbadge"
	"github.com/hobjobs/hob/ui/components/toast"
)

// ended reports an end to the host, and to the user unless the job was on screen or another client
// waited for it in the foreground.
func (p *Pane) ended(j *job) tea.Cmd {
	cmds := []tea.Cmd{send(EndedMsg{j.Job})}
	attached := p.fore.shows(j.ID)
	if attached {
		p.fore.job.reported = true
		cmds = append(cmds, p.fore.event(eventJobEnded))
	}
	switch state := statusbadge.StateOf(j.Job); state {
	case statusbadge.Failed, statusbadge.Lost, statusbadge.Done:
		if !j.Backgrounded && !attached && !j.Notify {
			break // the client that waits for it reports its end
		}
		why := WhyFailed
		if state == statusbadge.Done {
			why = WhyFinished
		}
		cmds = append(cmds, p.attention(j, why, engine.Note{}))
	default:
		// The stop was requested.
	}
	if j.ID == p.output.id {
		p.output.log.SetEmpty(p.output.emptyLog())
	}
	return tea.Batch(cmds...)
}

const (
	// reportPause is the minimum time between two messages about reports of a job's program, which may send any number.
	reportPause = 30 * time.Second
	// sameEvent is the time within which a notification and a report of a program are about the same event.
	sameEvent = 2 * time.Second
)

// whyOfState has the states of a program that concern the user.
var whyOfState = map[engine.ProgramState]Why{
	engine.ProgramBlocked: WhyWaiting,
	engine.ProgramError:   WhyFailed,
	engine.ProgramDone:    WhyFinished,
}

// programReported shows that the program of a job needs the user, has failed, or has a result. If a message about its
// reports was shown shortly before, this one is shown later, unless the program reports another state by then.
func (p *Pane) programReported(j *job, change engine.ProgramChange) tea.Cmd {
	if change.From == change.To || whyOfState[change.To] == "" {
		return nil
	}
	wait := reportPause - p.since(j.reportShown)
	if wait <= 0 {
		return p.showReport(j, change.To)
	}
	isScheduled := j.due != ""
	j.due = change.To
	if isScheduled {
		return nil
	}
	return p.tasks.after(wait, func() tea.Cmd { return p.showDue(p.jobs.all[j.ID]) })
}

// showDue shows the message that is due, if its state still applies. j is nil if the job was removed.
func (p *Pane) showDue(j *job) tea.Cmd {
	if j == nil {
		return nil
	}
	due := j.due
	j.due = ""
	if j.Status.Finished() || !j.Program.Says(due) {
		return nil
	}
	return p.showReport(j, due)
}

// showReport shows what the program of a job reports, unless the job is on screen or a notification has shown it.
func (p *Pane) showReport(j *job, state engine.ProgramState) tea.Cmd {
	if p.onScreen() != j.ID {
		j.reportShown = p.now
	}
	if p.since(j.notified) < sameEvent {
		return nil
	}
	return p.attention(j, whyOfState[state], engine.Note{})
}

// jobNotified shows a bell or a notification of a job. If the program has reported the same event, the event is shown
// only once. A bell has no text, so it counts as the same event only if it comes with the report.
func (p *Pane) jobNotified(j *job, note engine.Note) tea.Cmd {
	why, pause := WhyNote, reportPause
	if note == (engine.Note{}) {
		why, pause = WhyBell, sameEvent
	}
	if j.Program != nil && p.since(j.reportShown) < pause {
		return nil
	}
	j.notified = p.now
	return p.attention(j, why, note)
}

// since returns the time since t.
func (p *Pane) since(t time.Time) time.Duration { return p.now.Sub(t) }

// attention marks a job as unread and shows a message, unless the job is on screen.
func (p *Pane) attention(j *job, why Why, note engine.Note) tea.Cmd {
	if p.onScreen() == j.ID {
		p.markViewed()
		return nil
	}
	p.jobs.addUnread(j)
	p.putRow(j)
	level, text := p.wording(j.Job, why, note)
	brief := p.shortName(j.Job) + " " + statusbadge.Word(j.Job)
	id, level := p.notices.addNews(newsItem{
		id:    j.ID,
		why:   why,
		level: level,
		text:  text,
		brief: brief,
		after: " " + p.opts.glyphs.Dot + " " + statusbadge.Glyph(p.styles, j.Job) + " " + brief,
	})
	return tea.Batch(p.notices.expire(id, level.Lifetime()), send(AttentionMsg{Job: j.Job, Why: why, Note: note, Text: text}))
}

func (l *labels) wording(j engine.Job, why Why, note engine.Note) (toast.Level, string) {
	name := l.shortName(j)
	switch why {
	case WhyWaiting:
		if !j.Waiting && j.NeedsInput() {
			return toast.Warning, name + " is " + j.Summary(j.Program.At)
		}
		return toast.Warning, l.dotted(name+" needs input", l.answering())
	case WhyUnhealthy:
		return toast.Error, l.dotted(name+" is unhealthy", cells.Clean(j.Health.Output))
	case WhyFailed:
		if j.Status == engine.Lost {
			return toast.Error, name + " was lost (supervisor died)"
		}
		if !j.Status.Finished() {
			return toast.Error, name + " reports a failure" + reportSuffix(j)
		}
		return toast.Error, name + " failed (" + statusbadge.Word(j) + ")"
	case WhyFinished:
		if !j.Status.Finished() {
			return toast.Success, name + " has a result" + reportSuffix(j)
		}
		return toast.Success, name + " finished"
	case WhyNote:
		text := cells.Clean(note.Body)
		if note.Title != "" {
			text = cells.Clean(note.Title) + ": " + text
		}
		if note.Urgency == engine.UrgencyCritical {
			return toast.Warning, name + ": " + text
		}
		return toast.Info, name + ": " + text
	case WhyBell:
	}
	return toast.Info, name + " rang the bell"
}

// reportSuffix returns ": " and the text of the report of a job's program; "" if there is none.
func reportSuffix(j engine.Job) string {
	if j.Program == nil {
		return ""
	}
	text := cells.Clean(cmp.Or(j.Program.Message, j.Program.Title))
	if text == "" {
		return ""
	}
	return ": " + text
}

// ShowMouse shows whether the host captures the mouse, after [ToggleMouseMsg].
func (p *Pane) ShowMouse(captured bool) tea.Cmd {
	if captured {
		return p.notices.message(toast.Info, "Mouse captured")
	}
	back := p.does(p.opts.keys.Panes.ToggleMouse, "capture it again")
	return p.notices.message(toast.Info, p.dotted("Mouse released to the terminal", back))
}

// ShowMessage shows a message of the host. It disappears by itself.
func (p *Pane) ShowMessage(msg toast.Message) tea.Cmd {
	p.frame.dirty = true
	return p.notices.post(msg)
}

// current returns the job that is attached, or else selected, or "".
func (p *Pane) current() engine.ID {
	if a := p.fore.attached(); a != nil {
		return a.id
	}
	j, _ := p.list.Selected()
	return j.ID
}

// onScreen returns the job that the user sees now, or "".
func (p *Pane) onScreen() engine.ID {
	if !p.view.focused || p.modal.over != nil {
		return ""
	}
	return p.current()
}

// updateViewed updates which job is viewed. It runs after each Update.
func (p *Pane) updateViewed() tea.Cmd {
	cmd := p.viewed.set(p.current(), p.fore.attached() != nil || p.view.focus != areaList)
	p.markViewed()
	return tea.Batch(cmd, p.viewed.record())
}

func (p *Pane) markViewed() {
	for _, j := range p.viewed.look(p.onScreen(), p.list.Alike()) {
		p.putRow(j)
	}
}
