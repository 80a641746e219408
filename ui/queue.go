package ui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/toast"
)

// waitsForTurn reports whether a job of this machine has not begun because it waits for a slot or for
// other jobs.
func waitsForTurn(j engine.Job) bool {
	return j.Status == engine.Queued && !j.Runs.Between() && j.Host == ""
}

func waitingOf(jobs []engine.Job) (ids []engine.ID) {
	for _, j := range jobs {
		if waitsForTurn(j) {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// startNow starts queued jobs beyond the slots of their queue.
func (p *Pane) startNow(jobs []engine.Job) tea.Cmd {
	return p.reorder("Can't start "+p.names(jobs), jobs, engine.TurnNow)
}

// runNext puts queued jobs at the head of their queue.
func (p *Pane) runNext(jobs []engine.Job) tea.Cmd {
	return p.reorder("Can't move "+p.names(jobs), jobs, engine.TurnFirst)
}

func (p *Pane) reorder(failure string, jobs []engine.Job, when engine.Turn) tea.Cmd {
	eng, ids := p.tasks.eng, waitingOf(jobs)
	p.list.Unmark()
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		return p.notices.onError(failure, eng.StartQueued(ctx, when, ids...))
	})
}

// pauseQueue pauses the queue of a job, or resumes it.
func (p *Pane) pauseQueue(jobs []engine.Job) tea.Cmd {
	eng, name := p.tasks.eng, jobs[0].Queue
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		queues, err := eng.Queues(ctx)
		paused := false
		for _, q := range queues {
			if q.Name == name && q.Paused {
				paused = true
			}
		}
		if err == nil {
			_, err = eng.SetQueue(ctx, name, engine.QueueChange{Pause: !paused, Resume: paused})
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return p.notices.fail("Can't change the queue "+name, err)
			case paused:
				return p.notices.message(toast.Success, "Queue "+name+" resumed")
			}
			return p.notices.message(toast.Success, "Queue "+name+" paused: no job starts")
		}
	})
}

func (p *Pane) refuseTurn(jobs []engine.Job) string {
	switch {
	case len(waitingOf(jobs)) > 0:
		return ""
	case jobs[0].Status == engine.Queued && jobs[0].Host != "":
		return p.subject(jobs) + " queued on a cluster, whose scheduler decides"
	}
	return p.subject(jobs) + " not waiting in a queue"
}

func (p *Pane) refusePauseQueue(jobs []engine.Job) string {
	if jobs[0].Queue == "" {
		return p.subject(jobs[:1]) + " not in a queue"
	}
	return ""
}

// hintTurn shows a key in the footer only for a job that waits.
func (p *Pane) hintTurn(b *key.Binding) {
	j, ok := p.list.Selected()
	restrict(b, ok && waitsForTurn(j))
}

// hintQueue does the same for a job that waits in a queue.
func (p *Pane) hintQueue(b *key.Binding) {
	j, ok := p.list.Selected()
	restrict(b, ok && j.Queue != "" && waitsForTurn(j))
}

// hintPause is hintQueue for the key that pauses the queue, or resumes it.
func (p *Pane) hintPause(b *key.Binding) {
	p.hintQueue(b)
	if j, _ := p.list.Selected(); b.Enabled() && j.Pending != nil && j.Pending.Paused {
		b.SetHelp(b.Help().Key, "resume queue")
	}
}
