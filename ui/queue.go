package ui

import (
	"context"

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
func (a *jobActions) startNow(jobs []engine.Job) tea.Cmd {
	return a.reorder("Can't start "+a.names(jobs), jobs, engine.TurnNow)
}

// runNext puts queued jobs at the head of their queue.
func (a *jobActions) runNext(jobs []engine.Job) tea.Cmd {
	return a.reorder("Can't move "+a.names(jobs), jobs, engine.TurnFirst)
}

func (a *jobActions) reorder(failure string, jobs []engine.Job, when engine.Turn) tea.Cmd {
	eng, ids := a.tasks.eng, waitingOf(jobs)
	a.list.Unmark()
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		return a.notices.onError(failure, eng.StartQueued(ctx, when, ids...))
	})
}

// pauseQueue pauses the queue of a job, or resumes it.
func (a *jobActions) pauseQueue(jobs []engine.Job) tea.Cmd {
	eng, name, host := a.tasks.eng, jobs[0].Queue, jobs[0].Host
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		queues, err := eng.Queues(ctx, host)
		paused := false
		for _, q := range queues {
			if q.Name == name && q.Paused {
				paused = true
			}
		}
		if err == nil {
			_, err = eng.SetQueue(ctx, name, engine.QueueChange{Host: host, Pause: !paused, Resume: paused})
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.notices.fail("Can't change the queue "+name, err)
			case paused:
				return a.notices.message(toast.Success, "Queue "+name+" resumed")
			}
			return a.notices.message(toast.Success, "Queue "+name+" paused: no job starts")
		}
	})
}
