package ui

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// explain finds out once why the shown job failed, which may need more than its records.
func (p *Pane) explain() tea.Cmd {
	j, ok := p.output.job()
	if !ok || j.asked || !j.Unsuccessful() {
		return nil
	}
	j.asked = true
	eng, id := p.tasks.eng, j.ID
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		why, err := eng.Finding(ctx, id)
		if err != nil {
			return nil // show the recorded end only
		}
		return func() tea.Cmd {
			j, ok := p.jobs.all[id]
			if !ok {
				return nil
			}
			j.why = why
			if id == p.output.id {
				p.showFacts(j)
			}
			return p.settled()
		}
	})
}

// lookForFailedNotification finds out whether the command of [notify] failed for the job that is shown from now on. The
// events of a job do not have that.
func (p *Pane) lookForFailedNotification(j *job) tea.Cmd {
	if !j.Status.Finished() && !j.Waiting {
		return nil // hardly any event has happened to it
	}
	eng, id := p.tasks.eng, j.ID
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		failed, err := eng.NotifyFailed(ctx, id)
		if err != nil || failed == nil {
			return nil // show the other facts
		}
		return func() tea.Cmd {
			j, ok := p.jobs.all[id]
			if !ok {
				return nil
			}
			j.NotifyFailed = failed
			if id == p.output.id {
				p.showFacts(j)
			}
			return p.settled()
		}
	})
}

// showFold shows what a row of folded jobs stands for, which has no detail of its own.
func (p *Pane) showFold() {
	var note []string
	if on, unfolded := p.onFold(); on {
		note = p.foldNote(unfolded)
	}
	p.detail.Clear(note...)
}

// foldNote describes the folded jobs: how many are in which state, and the keys that show them.
func (p *Pane) foldNote(unfolded bool) []string {
	group, jobs := p.list.Folded()
	var c statusbadge.Counts
	for _, j := range jobs {
		c.Add(j)
	}
	var states []string
	for _, state := range []struct {
		n    int
		word string
	}{{c.Running, "running"}, {c.Restarting, "restarting"}, {c.Queued, "queued"}, {c.Done, "succeeded"}, {c.Seen + c.Failed, "failed"}, {c.Stopped, "stopped"}} {
		if state.n > 0 {
			states = append(states, strconv.Itoa(state.n)+" "+state.word)
		}
	}
	what := " older jobs: "
	if group != "" {
		what = " jobs: "
	}
	k, fold, open := p.opts.keys.Jobs, p.opts.keys.List.Unfold, "unfold"
	if unfolded {
		fold, open = p.opts.keys.List.Fold, "fold"
	}
	note := []string{strconv.Itoa(len(jobs)) + what + strings.Join(states, ", ")}
	if group != "" {
		return append(note, p.dotted(p.does(k.Open, "log of all"), p.does(fold, open)))
	}
	return append(note, p.dotted(p.does(k.Open, open), p.does(k.Filter, "filter all jobs"), p.does(k.ClearFinished, "clear finished")))
}

// show updates detail and output to the selected job.
func (p *Pane) show() tea.Cmd {
	id := engine.ID("")
	if a := p.fore.attached(); a != nil && a.viaLog {
		id = a.id
	} else if j, ok := p.list.Selected(); ok {
		id = j.ID
	}
	j, ok := p.jobs.all[id]
	if !ok {
		p.showFold()
	}
	if group, jobs := p.selectedGroup(); group.name != "" {
		if group == p.output.group.of {
			p.output.group.logs = len(jobs)
			return p.rearrange()
		}
		cmd := p.output.showGroup(group, jobs)
		p.attend()
		return tea.Batch(cmd, p.arrange())
	}
	if p.shows(id) {
		return tea.Batch(p.explain(), p.rearrange())
	}
	fold, _ := p.onFold()
	cmd := p.output.show(id, fold)
	p.attend()
	var look tea.Cmd
	if ok {
		p.showFacts(j)
		look = p.lookForFailedNotification(j)
	}
	return tea.Batch(cmd, p.arrange(), p.explain(), look)
}

// rearrange arranges the panes again if what they show has changed the layout.
func (p *Pane) rearrange() tea.Cmd {
	if p.fore.attached() != nil || p.layout() == p.view.lay {
		return nil
	}
	return p.arrange()
}

// shows reports whether the pane already shows the output of a job; if there is no such job, whether it shows that
// there is none.
func (p *Pane) shows(id engine.ID) bool {
	switch {
	case p.output.group.shown(), id != p.output.id:
		return false
	}
	_, known := p.jobs.all[id]
	return p.output.known || !known
}

// onFold reports whether a row is selected that stands for folded jobs, and whether they are unfolded.
func (p *Pane) onFold() (on, unfolded bool) {
	if p.fore.attached() != nil {
		return false, false
	}
	return p.list.OnFold()
}
