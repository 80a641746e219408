package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// seenAfter is how long a job must be selected to count as seen: a cursor that only passes a row
// shows nothing that can be read.
const seenAfter = time.Second

// viewed is the job that is selected or attached, and for how long. It counts as seen once it was on
// screen long enough or the user has opened it: then nothing about it is unread any more, and a
// failure is recorded as seen.
type viewed struct {
	tasks *tasks
	jobs  *jobSet

	id     engine.ID
	long   bool        // for seenAfter, or the user has opened it
	timer  int         // number of the wait for seenAfter
	failed []engine.ID // failures to record as seen
}

// set sets the job. opened is whether the user looks at more than its row.
func (v *viewed) set(id engine.ID, opened bool) tea.Cmd {
	var cmd tea.Cmd
	if id != v.id {
		v.id, v.long = id, false
		cmd = v.tasks.latest(&v.timer, seenAfter, func() tea.Cmd {
			v.long = true
			return nil
		})
	}
	if opened {
		v.long = true
	}
	return cmd
}

// look marks the job as seen if the user sees it now and has seen it long enough, and with it the jobs
// that its row stands for. It returns the jobs that this changed.
func (v *viewed) look(onScreen engine.ID, alike []engine.ID) (changed []*job) {
	if !v.long || v.id != onScreen {
		return nil
	}
	for _, id := range append(alike, v.id) {
		j, ok := v.jobs.all[id]
		if !ok {
			continue
		}
		seen, failed := v.jobs.markSeen(j)
		if failed {
			v.failed = append(v.failed, id)
		}
		if seen {
			changed = append(changed, j)
		}
	}
	return changed
}

// record records the failures that were seen.
func (v *viewed) record() tea.Cmd {
	ids, eng := v.failed, v.tasks.eng
	if len(ids) == 0 {
		return nil
	}
	v.failed = nil
	return v.tasks.async(func(context.Context) func() tea.Cmd {
		_ = eng.MarkSeen(ids...) // on an error they count again the next time
		return nil
	})
}
