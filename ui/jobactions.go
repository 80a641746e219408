package ui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/toast"
)

// jobActions does to jobs what the user asks for. Update decides and asks for confirmation; a command, which
// captures values, then performs the action. Its failures are messages; what it starts is selected.
type jobActions struct {
	*labels
	tasks   *tasks
	notices *notices
	modal   *modal
	list    *joblist.Model
	output  *output
	jobs    *jobSet
	pane    selector

	restarts *restarts
}

// selector is what actions on jobs need of the pane.
type selector interface {
	// selectJob selects a job, now or when it appears.
	selectJob(id engine.ID) tea.Cmd
	// CapturesKeys reports whether the user types something else by now.
	CapturesKeys() bool
}

// client is the name under which hob ends jobs from here.
const client = "ui"

// stop ends jobs gracefully; their rows count the grace time down. It asks only before it stops a whole
// group.
func (a *jobActions) stop(jobs []engine.Job) tea.Cmd {
	group, _ := a.list.Folded()
	running := slices.DeleteFunc(slices.Clone(jobs), over)
	if group != "" && len(running) > 1 && len(a.list.Marked()) == 0 {
		return a.modal.confirm("Stop all of "+cells.Clean(group)+"?", "Stop all", func() tea.Cmd {
			return a.end(running, engine.StopOptions{By: client})
		}, a.allNames(running))
	}
	return a.end(jobs, engine.StopOptions{By: client})
}

// kill ends jobs at once; several only after a question.
func (a *jobActions) kill(jobs []engine.Job) tea.Cmd {
	if len(jobs) < 2 {
		return a.killNow(jobs)
	}
	return a.modal.confirm(
		fmt.Sprintf("Kill %d jobs now?", len(jobs)), "Kill", func() tea.Cmd { return a.killNow(jobs) },
		a.allNames(jobs), "They won't get a chance to clean up.")
}

func (a *jobActions) killNow(jobs []engine.Job) tea.Cmd {
	return a.end(jobs, engine.StopOptions{Grace: engine.KillNow, By: client})
}

// end stops jobs together. Their rows show the ends; a message appears only if a stop did not go as
// requested, as soon as that is known: a job that uses its grace period does not delay the others.
func (a *jobActions) end(jobs []engine.Job, o engine.StopOptions) tea.Cmd {
	jobs = slices.DeleteFunc(slices.Clone(jobs), over)
	a.list.Unmark()
	if len(jobs) == 0 {
		return nil
	}
	type result struct {
		job    engine.Job
		report engine.StopReport
		err    error
	}
	results := make(chan result, len(jobs))
	eng := a.tasks.eng
	cmds := []tea.Cmd{a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		eng.StopAll(ctx, jobs, o, func(i int, r engine.StopReport, err error) { results <- result{jobs[i], r, err} })
		return nil
	})}
	for range jobs {
		cmds = append(cmds, a.tasks.async(func(context.Context) func() tea.Cmd {
			r := <-results
			return func() tea.Cmd { return a.ending(r.job, r.report, r.err, o) }
		}))
	}
	return tea.Batch(cmds...)
}

// ending reports why a job could not be stopped, which of its processes are left, or that it needed
// SIGKILL.
func (a *jobActions) ending(j engine.Job, report engine.StopReport, err error, o engine.StopOptions) tea.Cmd {
	name := a.shortName(j)
	if err != nil {
		return a.notices.fail("Can't stop "+name, err)
	}
	if n := len(report.Survivors); n > 0 {
		first := report.Survivors[0]
		return a.notices.message(toast.Error, fmt.Sprintf("%s left %d running: pid %d %s", name, n, first.PID, cells.Clean(first.Command)))
	}
	if report.Escalated && o.Grace >= 0 {
		return a.notices.message(toast.Warning, name+" did not exit in time and was killed (SIGKILL)")
	}
	return nil
}

// signals of the menu, most wanted first.
func signals() []dialog.Choice {
	return []dialog.Choice{
		{Name: "SIGTERM", Label: "SIGTERM", Note: "terminate (default)"},
		{Name: "SIGINT", Label: "SIGINT", Note: "interrupt (Ctrl+C)"},
		{Name: "SIGHUP", Label: "SIGHUP", Note: "hang up; many daemons reload config"},
		{Name: "SIGQUIT", Label: "SIGQUIT", Note: "quit with core dump / stack dump (Ctrl+\\)"},
		{Name: "SIGUSR1", Label: "SIGUSR1", Note: "user-defined"},
		{Name: "SIGUSR2", Label: "SIGUSR2", Note: "user-defined"},
		{Name: "SIGSTOP", Label: "SIGSTOP", Note: "pause"},
		{Name: "SIGCONT", Label: "SIGCONT", Note: "resume"},
		{Name: "SIGWINCH", Label: "SIGWINCH", Note: "redraw (window size changed)"},
		{Name: "SIGKILL", Label: "SIGKILL", Note: "kill immediately"},
	}
}

func (a *jobActions) signalMenu(jobs []engine.Job) tea.Cmd {
	return a.modal.openMenu("Send signal to "+a.names(jobs), signals(), func(name string) tea.Cmd {
		if name == "" {
			return nil
		}
		var cmds []tea.Cmd
		for _, j := range jobs {
			cmds = append(cmds, a.signal(j, name))
		}
		return tea.Batch(cmds...)
	})
}

func (a *jobActions) signal(j engine.Job, signal string) tea.Cmd {
	eng, name := a.tasks.eng, a.shortName(j)
	return a.tasks.async(func(ctx context.Context) func() tea.Cmd {
		return a.notices.onError("Can't send "+signal+" to "+name, eng.Signal(ctx, j.ID, signal))
	})
}

func idsOf(jobs []engine.Job) []engine.ID {
	ids := make([]engine.ID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}

// started selects a job that was started from here.
func (a *jobActions) started(j engine.Job) tea.Cmd {
	return tea.Batch(a.notStarted(j), a.pane.selectJob(j.ID))
}

// startedAgain selects the new job of a restart if the one before is still selected, and not the row of its
// group or one that the user has selected since.
func (a *jobActions) startedAgain(before, j engine.Job) tea.Cmd {
	if selected, ok := a.list.Selected(); ok && selected.ID == before.ID {
		return a.started(j)
	}
	return a.notStarted(j)
}

// notStarted shows why a job could not be started; nil if it was.
func (a *jobActions) notStarted(j engine.Job) tea.Cmd {
	if j.Status != engine.Failed {
		return nil
	}
	text := "Can't start " + a.shortName(j)
	if j.Exit.Error != "" {
		text += ": " + cells.Clean(j.Exit.Error)
	}
	return a.notices.message(toast.Error, text)
}

func (a *jobActions) copyCommand(jobs []engine.Job) tea.Cmd {
	return a.notices.copied(jobs[0].CommandLine(), "command")
}

func (a *jobActions) copyPath(jobs []engine.Job) tea.Cmd {
	return a.notices.copied(outputPath(jobs[0], a.output.stream), "path")
}

func (a *jobActions) openPager(jobs []engine.Job) tea.Cmd {
	return send(OpenMsg{Path: outputPath(jobs[0], a.output.stream)})
}

func (a *jobActions) openEditor(jobs []engine.Job) tea.Cmd {
	return send(OpenMsg{Path: outputPath(jobs[0], a.output.stream), Editor: true})
}

// outputPath is the file of the stream shown.
func outputPath(j engine.Job, s engine.Stream) string {
	switch {
	case !j.Split:
		return j.OutputPath
	case s == engine.StreamStderr:
		return j.StderrPath
	}
	return j.StdoutPath
}
