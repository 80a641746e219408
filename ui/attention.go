package ui

import (
	"context"
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
		cmds = append(cmds, p.foregroundEvent(eventJobEnded))
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
	case statusbadge.Waiting, statusbadge.Running, statusbadge.Starting, statusbadge.Queued, statusbadge.Paused, statusbadge.Stopping, statusbadge.Stopped:
		// The stop was requested.
	}
	if j.ID == p.shown.id {
		p.log.SetEmpty(p.emptyLog())
	}
	return tea.Batch(cmds...)
}

// attention marks a job as unread and shows a message, unless the job is on screen.
func (p *Pane) attention(j *job, why Why, note engine.Note) tea.Cmd {
	if p.looking(j.ID) {
		p.looked()
		return nil
	}
	j.unread++
	p.cachedCounts = nil
	p.putRow(j)
	level, text := p.wording(j.Job, why, note)
	id, level := p.notices.addNews(j.ID, why, level, text)
	return tea.Batch(p.notices.expire(id, level.Lifetime()), send(AttentionMsg{Job: j.Job, Why: why, Note: note, Text: text}))
}

func (l *labels) wording(j engine.Job, why Why, note engine.Note) (toast.Level, string) {
	name := l.shortName(j)
	switch why {
	case WhyWaiting:
		return toast.Warning, l.dotted(name+" needs input", l.answering())
	case WhyFailed:
		if j.Status == engine.Lost {
			return toast.Error, name + " was lost (supervisor died)"
		}
		return toast.Error, name + " failed (" + statusbadge.Word(j) + ")"
	case WhyFinished:
		return toast.Success, name + " finished"
	case WhyNote:
		text := cells.Clean(note.Body)
		if note.Title != "" {
			text = cells.Clean(note.Title) + ": " + text
		}
		return toast.Info, name + ": " + text
	case WhyBell:
	}
	return toast.Info, name + " rang the bell"
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

// looking reports whether the user sees the job now.
func (p *Pane) looking(id engine.ID) bool {
	if !p.focused || p.over != nil {
		return false
	}
	if a := p.fore.attached(); a != nil {
		return a.id == id
	}
	j, ok := p.list.Selected()
	return ok && j.ID == id
}

// seenAfter is how long a job must be selected to count as seen: a cursor that only passes a row
// shows nothing that can be read.
const seenAfter = time.Second

// viewed is the job that is selected or attached.
type viewed struct {
	id   engine.ID
	long bool // for seenAfter, or the user has opened it

	timer  int         // number of the wait for seenAfter
	failed []engine.ID // failures to record as seen
}

// updateViewed updates which job is viewed. It runs after each Update.
func (p *Pane) updateViewed() tea.Cmd {
	id := engine.ID("")
	if a := p.fore.attached(); a != nil {
		id = a.id
	} else if j, ok := p.list.Selected(); ok {
		id = j.ID
	}
	var cmd tea.Cmd
	if id != p.viewed.id {
		p.viewed.id, p.viewed.long = id, false
		cmd = p.tasks.latest(&p.viewed.timer, seenAfter, func() tea.Cmd {
			p.viewed.long = true
			return nil
		})
	}
	if p.fore.attached() != nil || p.focus == areaLog || p.focus == areaDetail {
		p.viewed.long = true
	}
	p.looked()
	return cmd
}

// looked marks the viewed job as seen if it has been on screen long enough.
func (p *Pane) looked() {
	if j, ok := p.jobs[p.viewed.id]; ok && p.viewed.long && p.looking(j.ID) {
		p.seen(j)
	}
}

// seen marks a job as seen. A seen failure is recorded after Update.
func (p *Pane) seen(j *job) {
	failed := j.FailedUnseen()
	if j.unread == 0 && !failed {
		return
	}
	if failed {
		j.Seen = true
		p.viewed.failed = append(p.viewed.failed, j.ID)
	}
	j.unread, p.cachedCounts = 0, nil
	p.putRow(j)
}

func (p *Pane) markSeen() tea.Cmd {
	ids, eng := p.viewed.failed, p.tasks.eng
	if len(ids) == 0 {
		return nil
	}
	p.viewed.failed = nil
	return p.tasks.async(func(context.Context) func() tea.Cmd {
		_ = eng.MarkSeen(ids...) // on an error they count again the next time
		return nil
	})
}
