package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/toast"
)

// clear removes finished jobs; it can be undone for a while. Of several jobs, those that have left
// processes stay.
func (a *jobActions) clear(jobs []engine.Job) tea.Cmd {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j engine.Job) bool { return !finished(j) })
	a.list.Unmark()
	eng := a.tasks.eng
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		gone, err := clearOver(ctx, eng, jobs)
		return func() tea.Cmd {
			switch {
			case err == nil:
				return a.cleared(gone)
			case len(gone) > 0: // only some were cleared
				return tea.Batch(a.cleared(gone), a.notices.fail("Can't clear all", err))
			}
			return a.notices.fail("Can't clear", err)
		}
	})
}

// clearOver clears jobs. If some of several have left processes, it clears the others.
func clearOver(ctx context.Context, eng jobEngine, jobs []engine.Job) ([]engine.Job, error) {
	gone, err := eng.Clear(ctx, idsOf(jobs)...)
	left := slices.DeleteFunc(slices.Clone(jobs), engine.Job.LeftRunning)
	if errors.Is(err, engine.ErrRunning) && len(left) > 0 && len(left) < len(jobs) {
		return eng.Clear(ctx, idsOf(left)...)
	}
	return gone, err
}

// clearAsks is the number of jobs from which on clearing all finished ones asks first.
const clearAsks = 11

// clearFinished clears the finished jobs that the filter of the list leaves, also the folded ones.
func (a *jobActions) clearFinished() tea.Cmd {
	jobs := slices.DeleteFunc(a.list.Passed(), func(j engine.Job) bool { return !finished(j) })
	if len(jobs) < clearAsks {
		return a.clear(jobs)
	}
	return a.modal.confirm(
		fmt.Sprintf("Clear %d finished jobs%s?", len(jobs), a.matching(a.list.Filter())), "Clear", func() tea.Cmd { return a.clear(jobs) },
		a.undoable(len(jobs)))
}

// undoable returns that the logs of n jobs can be restored after a clear. The trash keeps them for at
// least an hour.
func (l *labels) undoable(n int) string {
	logs := "its log"
	if n > 1 {
		logs = "their logs"
	}
	if undo := l.opts.keys.Jobs.Undo; isBound(undo) {
		return l.keyLabel(undo) + " brings " + logs + " back for an hour."
	}
	return "hob clear --undo brings " + logs + " back for an hour."
}

// cleared offers to undo a clear.
func (a *jobActions) cleared(jobs []engine.Job) tea.Cmd {
	if len(jobs) == 0 {
		return a.notices.refuse("Nothing to clear")
	}
	text := "Cleared " + a.shortName(jobs[0])
	if n := a.notices.addCleared(jobs); n > 1 {
		text = "Cleared " + units.Count(n, "job")
	}
	id := a.notices.showCleared(a.dotted(text, a.does(a.opts.keys.Jobs.Undo, "to undo")))
	return a.notices.expire(id, undoFor)
}

const undoFor = 5 * time.Second

// undoClear restores what was cleared here since the notice appeared, else what the last
// clear left in the trash, wherever that was done.
func (a *jobActions) undoClear() tea.Cmd {
	eng, ids := a.tasks.eng, a.notices.takeCleared()
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		jobs, err := eng.Undo(ctx, ids...)
		if errors.Is(err, engine.ErrNotFound) {
			return func() tea.Cmd { return a.notices.message(toast.Info, "Nothing to undo") }
		}
		if err != nil {
			return a.notices.onError("Can't undo", err)
		}
		return func() tea.Cmd {
			restored := units.Count(len(jobs), "job")
			if len(jobs) == 1 {
				restored = a.shortName(jobs[0])
			}
			cmd := a.notices.message(toast.Success, "Restored "+restored)
			if len(jobs) == 0 {
				return cmd
			}
			return tea.Batch(cmd, a.pane.selectJob(jobs[0].ID))
		}
	})
}

// remove clears finished jobs like clear. Those that run, or have left processes, it stops first,
// after a question.
func (a *jobActions) remove(jobs []engine.Job) tea.Cmd {
	running := 0
	for _, j := range jobs {
		if !over(j) {
			running++
		}
	}
	if running == 0 {
		return a.clear(jobs)
	}
	text := a.undoable(len(jobs))
	if len(jobs) > 1 {
		are := "are"
		if running == 1 {
			are = "is"
		}
		text = fmt.Sprintf("%d of them %s running. %s", running, are, text)
	}
	return a.modal.confirm("Stop and clear "+a.names(jobs)+"?", "Stop and clear", func() tea.Cmd {
		a.list.Unmark()
		var cmds []tea.Cmd
		for _, j := range jobs {
			cmds = append(cmds, a.removeNow(j))
		}
		return tea.Batch(cmds...)
	}, text)
}

func (a *jobActions) removeNow(j engine.Job) tea.Cmd {
	eng, name := a.tasks.eng, a.shortName(j)
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		gone, err := eng.Remove(ctx, j.ID)
		if err != nil {
			return a.notices.onError("Can't clear "+name, err)
		}
		return func() tea.Cmd { return a.cleared(gone) }
	})
}
