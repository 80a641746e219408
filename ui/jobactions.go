package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/toast"
)

// The actions on jobs. Update decides and asks for confirmation; a command, which captures
// values, then performs the action.

// client is the name under which hob ends jobs from here.
const client = "ui"

func (l *labels) shortName(j engine.Job) string {
	return cells.Name(cells.Clean(j.Name), 30, l.opts.glyphs.Ellipsis)
}

// stop ends jobs gracefully: no question, their rows count the grace time down.
func (p *Pane) stop(jobs []engine.Job) tea.Cmd {
	return p.end(jobs, engine.StopOptions{By: client})
}

// kill ends jobs at once; several only after a question.
func (p *Pane) kill(jobs []engine.Job) tea.Cmd {
	if len(jobs) < 2 {
		return p.killNow(jobs)
	}
	return p.modal.confirm(
		fmt.Sprintf("Kill %d jobs now?", len(jobs)), "Kill", func() tea.Cmd { return p.killNow(jobs) },
		p.allNames(jobs), "They won't get a chance to clean up.")
}

func (p *Pane) killNow(jobs []engine.Job) tea.Cmd {
	return p.end(jobs, engine.StopOptions{Grace: -1, By: client})
}

// end stops jobs together. Their rows show the ends; a message appears only if a stop did not go as
// requested, as soon as that is known: a job that uses its grace period does not delay the others.
func (p *Pane) end(jobs []engine.Job, o engine.StopOptions) tea.Cmd {
	jobs = slices.DeleteFunc(slices.Clone(jobs), over)
	p.list.Unmark()
	if len(jobs) == 0 {
		return nil
	}
	type result struct {
		job    engine.Job
		report engine.StopReport
		err    error
	}
	results := make(chan result, len(jobs))
	eng := p.tasks.eng
	cmds := []tea.Cmd{p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		eng.StopAll(ctx, jobs, o, func(i int, r engine.StopReport, err error) { results <- result{jobs[i], r, err} })
		return nil
	})}
	for range jobs {
		cmds = append(cmds, p.tasks.async(func(context.Context) func() tea.Cmd {
			r := <-results
			return func() tea.Cmd { return p.ending(r.job, r.report, r.err, o) }
		}))
	}
	return tea.Batch(cmds...)
}

// ending reports why a job could not be stopped, which of its processes are left, or that it needed
// SIGKILL.
func (p *Pane) ending(j engine.Job, report engine.StopReport, err error, o engine.StopOptions) tea.Cmd {
	name := p.shortName(j)
	if err != nil {
		return p.notices.fail("Can't stop "+name, err)
	}
	if n := len(report.Survivors); n > 0 {
		first := report.Survivors[0]
		return p.notices.message(toast.Error, fmt.Sprintf("%s left %d running: pid %d %s", name, n, first.PID, cells.Clean(first.Command)))
	}
	if report.Escalated && o.Grace >= 0 {
		return p.notices.message(toast.Warning, name+" did not exit in time and was killed (SIGKILL)")
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

func (p *Pane) signalMenu(jobs []engine.Job) tea.Cmd {
	return p.modal.openMenu("Send signal to "+p.names(jobs), signals(), func(name string) tea.Cmd {
		if name == "" {
			return nil
		}
		var cmds []tea.Cmd
		for _, j := range jobs {
			cmds = append(cmds, p.signal(j, name))
		}
		return tea.Batch(cmds...)
	})
}

func (p *Pane) signal(j engine.Job, signal string) tea.Cmd {
	eng, name := p.tasks.eng, p.shortName(j)
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		return p.notices.onError("Can't send "+signal+" to "+name, eng.Signal(ctx, j.ID, signal))
	})
}

// clear removes finished jobs; it can be undone for a while. Of several jobs, those that have left
// processes stay.
func (p *Pane) clear(jobs []engine.Job) tea.Cmd {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j engine.Job) bool { return !finished(j) })
	p.list.Unmark()
	eng := p.tasks.eng
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		gone, err := clearOver(ctx, eng, jobs)
		return func() tea.Cmd {
			switch {
			case err == nil:
				return p.cleared(gone)
			case len(gone) > 0: // only some were cleared
				return tea.Batch(p.cleared(gone), p.notices.fail("Can't clear all", err))
			}
			return p.notices.fail("Can't clear", err)
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

func idsOf(jobs []engine.Job) []engine.ID {
	ids := make([]engine.ID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}

// clearAsks is the number of jobs from which on clearing all finished ones asks first.
const clearAsks = 11

// clearFinished clears the finished jobs that the filter of the list leaves, also the folded ones.
func (p *Pane) clearFinished() tea.Cmd {
	jobs := slices.DeleteFunc(p.list.Passed(), func(j engine.Job) bool { return !finished(j) })
	if len(jobs) < clearAsks {
		return p.clear(jobs)
	}
	return p.modal.confirm(
		fmt.Sprintf("Clear %d finished jobs%s?", len(jobs), p.matching()), "Clear", func() tea.Cmd { return p.clear(jobs) },
		p.undoable(len(jobs)))
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

// matching returns the end of a phrase about the jobs that the filter leaves: " matching /web". It
// is empty without a filter.
func (p *Pane) matching() string {
	if p.list.Filter() == "" {
		return ""
	}
	return " matching " + p.filterText()
}

// cleared offers to undo a clear.
func (p *Pane) cleared(jobs []engine.Job) tea.Cmd {
	if len(jobs) == 0 {
		return p.notices.refuse("Nothing to clear")
	}
	text := "Cleared " + p.shortName(jobs[0])
	if n := p.notices.addCleared(jobs); n > 1 {
		text = "Cleared " + units.Count(n, "job")
	}
	id := p.notices.showCleared(p.dotted(text, p.does(p.opts.keys.Jobs.Undo, "to undo")))
	return p.notices.expire(id, undoFor)
}

const undoFor = 5 * time.Second

// undoClear restores what was cleared here since the notice appeared, else what the last
// clear left in the trash, wherever that was done.
func (p *Pane) undoClear() tea.Cmd {
	eng, ids := p.tasks.eng, p.notices.takeCleared()
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		jobs, err := eng.Undo(ctx, ids...)
		if errors.Is(err, engine.ErrNotFound) {
			return func() tea.Cmd { return p.notices.message(toast.Info, "Nothing to undo") }
		}
		if err != nil {
			return p.notices.onError("Can't undo", err)
		}
		return func() tea.Cmd {
			if len(jobs) > 0 {
				p.selectNext = jobs[0].ID
			}
			restored := units.Count(len(jobs), "job")
			if len(jobs) == 1 {
				restored = p.shortName(jobs[0])
			}
			return tea.Batch(p.notices.message(toast.Success, "Restored "+restored), p.settled())
		}
	})
}

// remove clears finished jobs like clear. Those that run, or have left processes, it stops first,
// after a question.
func (p *Pane) remove(jobs []engine.Job) tea.Cmd {
	running := 0
	for _, j := range jobs {
		if !over(j) {
			running++
		}
	}
	if running == 0 {
		return p.clear(jobs)
	}
	text := p.undoable(len(jobs))
	if len(jobs) > 1 {
		are := "are"
		if running == 1 {
			are = "is"
		}
		text = fmt.Sprintf("%d of them %s running. %s", running, are, text)
	}
	return p.modal.confirm("Stop and clear "+p.names(jobs)+"?", "Stop and clear", func() tea.Cmd {
		p.list.Unmark()
		var cmds []tea.Cmd
		for _, j := range jobs {
			cmds = append(cmds, p.removeNow(j))
		}
		return tea.Batch(cmds...)
	}, text)
}

func (p *Pane) removeNow(j engine.Job) tea.Cmd {
	eng, name := p.tasks.eng, p.shortName(j)
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		gone, err := eng.Remove(ctx, j.ID)
		if err != nil {
			return p.notices.onError("Can't clear "+name, err)
		}
		return func() tea.Cmd { return p.cleared(gone) }
	})
}

// start starts the job of a form. If attach is set, it then attaches to the job unless the user has
// done something else in the meantime. back is called if the start fails.
func (p *Pane) start(spec engine.Spec, attach bool, back func()) tea.Cmd {
	eng, run := p.tasks.eng, p.edited(spec)
	if run == nil {
		run = func(ctx context.Context) (engine.Job, error) { return eng.Start(ctx, spec) }
	}
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		j, err := run(ctx)
		return func() tea.Cmd {
			if err != nil {
				back()
				return p.notices.fail("Can't start "+cells.Truncate(cells.Clean(spec.Script), 40, p.opts.glyphs.Ellipsis), err)
			}
			if attach && !j.Status.Finished() && !p.CapturesKeys() {
				return tea.Batch(p.started(j), p.attach(j.ID, false))
			}
			return p.started(j)
		}
	})
}

// started selects a job that was started from here.
func (p *Pane) started(j engine.Job) tea.Cmd {
	p.selectNext = j.ID
	if j.Status != engine.Failed {
		return p.settled()
	}
	text := "Can't start " + p.shortName(j)
	if j.Exit.Error != "" {
		text += ": " + cells.Clean(j.Exit.Error)
	}
	return tea.Batch(p.notices.message(toast.Error, text), p.settled())
}

func (p *Pane) copyCommand(jobs []engine.Job) tea.Cmd {
	return p.copy(jobs[0].CommandLine(), "command")
}

func (p *Pane) copyPath(jobs []engine.Job) tea.Cmd {
	return p.copy(outputPath(jobs[0], p.output.stream), "path")
}

func (p *Pane) openPager(jobs []engine.Job) tea.Cmd {
	return send(OpenMsg{Path: outputPath(jobs[0], p.output.stream)})
}

func (p *Pane) openEditor(jobs []engine.Job) tea.Cmd {
	return send(OpenMsg{Path: outputPath(jobs[0], p.output.stream), Editor: true})
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

// copy hands text to the host's clipboard.
func (p *Pane) copy(text, what string) tea.Cmd {
	if lines := strings.Count(text, "\n"); lines > 0 {
		what = fmt.Sprintf("%d lines", lines+1)
	}
	return tea.Batch(p.notices.post(toast.Message{Text: "Copied " + what, Key: toast.Copied}), send(CopyMsg{text, what}))
}

// allNames are the jobs by name, up to a few lines of them.
func (l *labels) allNames(jobs []engine.Job) string {
	const most = 8
	var names []string
	for _, j := range jobs[:min(len(jobs), most)] {
		names = append(names, l.shortName(j))
	}
	text := strings.Join(names, ", ")
	if more := len(jobs) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// names are the jobs in a few words.
func (l *labels) names(jobs []engine.Job) string {
	switch len(jobs) {
	case 0:
		return "nothing"
	case 1:
		return l.shortName(jobs[0])
	case 2:
		return l.shortName(jobs[0]) + " and " + l.shortName(jobs[1])
	}
	return fmt.Sprintf("%s and %d more", l.shortName(jobs[0]), len(jobs)-1)
}

// attachedSize returns the size of the terminal of a job that is attached.
func (p *Pane) attachedSize() engine.Size { return TerminalSize(p.w, p.h) }
