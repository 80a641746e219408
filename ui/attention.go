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
	// saidPause is the least time between two messages about what the program of a job says: it may say anything at
	// any rate.
	saidPause = 30 * time.Second
	// sameMatter is the time within which a notification and a report of a program are about the same.
	sameMatter = 2 * time.Second
)

// programWhys are the states of a program that concern the user.
var programWhys = map[engine.ProgramState]Why{
	engine.ProgramBlocked: WhyWaiting,
	engine.ProgramError:   WhyFailed,
	engine.ProgramDone:    WhyFinished,
}

// programSaid shows that the program of a job needs the user, has failed, or has a result. If a message about its
// reports was shown shortly before, it is shown later, unless the program says otherwise by then.
func (p *Pane) programSaid(j *job, said engine.ProgramChange) tea.Cmd {
	if said.From == said.To || programWhys[said.To] == "" {
		return nil
	}
	wait := saidPause - p.since(j.told)
	if wait <= 0 {
		return p.tellSaid(j, said.To)
	}
	if waits := j.due != ""; waits {
		j.due = said.To
		return nil
	}
	j.due = said.To
	return p.tasks.after(wait, func() tea.Cmd { return p.tellDue(p.jobs.all[j.ID]) })
}

// tellDue shows what a message was due about, if it still holds. j is nil if the job is gone.
func (p *Pane) tellDue(j *job) tea.Cmd {
	if j == nil {
		return nil
	}
	due := j.due
	j.due = ""
	if j.Status.Finished() || !j.Program.Says(due) {
		return nil
	}
	return p.tellSaid(j, due)
}

// tellSaid shows what the program of a job says, unless a notification has, or the job is on screen.
func (p *Pane) tellSaid(j *job, state engine.ProgramState) tea.Cmd {
	if p.onScreen() != j.ID {
		j.told = p.now
	}
	if p.since(j.noted) < sameMatter {
		return nil
	}
	return p.attention(j, programWhys[state], engine.Note{})
}

// jobNotified shows a bell or a notification of a job. A program that reports what it does may send a notification for
// what it has reported, too: that is shown once. A bell does not say what it is about, so only one that comes with the
// report is left out.
func (p *Pane) jobNotified(j *job, note engine.Note) tea.Cmd {
	why, pause := WhyNote, saidPause
	if note == (engine.Note{}) {
		why, pause = WhyBell, sameMatter
	}
	if j.Program != nil && p.since(j.told) < pause {
		return nil
	}
	j.noted = p.now
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
			return toast.Error, name + " reports a failure" + saidOf(j)
		}
		return toast.Error, name + " failed (" + statusbadge.Word(j) + ")"
	case WhyFinished:
		if !j.Status.Finished() {
			return toast.Success, name + " has a result" + saidOf(j)
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

// saidOf returns what the program of a job says of its state, after ": ".
func saidOf(j engine.Job) string {
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
