package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// looking reports whether the user sees the job now.
func (p *Pane) looking(id engine.ID) bool {
	if !p.focused || p.over != nil {
		return false
	}
	if p.attachment != nil {
		return p.attachment.id == id
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
	gen  int
}

// updateViewed updates which job is viewed. It runs after each Update.
func (p *Pane) updateViewed() tea.Cmd {
	id := engine.ID("")
	if p.attachment != nil {
		id = p.attachment.id
	} else if j, ok := p.list.Selected(); ok {
		id = j.ID
	}
	var cmd tea.Cmd
	if id != p.viewed.id {
		p.viewed = viewed{id: id, gen: p.viewed.gen + 1}
		cmd = p.after(seenAfter, p.viewedLong(p.viewed.gen))
	}
	if p.attachment != nil || p.focus == areaLog || p.focus == areaDetail {
		p.viewed.long = true
	}
	p.looked()
	return cmd
}

// viewedLong counts the viewed job as seen, unless another one has been selected since.
func (p *Pane) viewedLong(gen int) func() tea.Cmd {
	return func() tea.Cmd {
		p.viewed.long = p.viewed.long || gen == p.viewed.gen
		return nil
	}
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
		p.toMark = append(p.toMark, j.ID)
	}
	j.unread, p.tally = 0, nil
	p.putRow(j)
}

// markSeen records which failures the user has seen.
func (p *Pane) markSeen() tea.Cmd {
	ids, eng := p.toMark, p.eng
	if len(ids) == 0 {
		return nil
	}
	p.toMark = nil
	return p.async(func(context.Context) func() tea.Cmd {
		_ = eng.MarkSeen(ids...) // on an error they count again the next time
		return nil
	})
}
