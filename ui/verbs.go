package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/toast"
)

// What keys and palette do to jobs. It is decided and asked for in Update; the
// deed is a command that captures values.

// client is the name under which hob ends jobs from here.
const client = "ui"

// failing is what follows a deed that only reports an error.
func (p *Pane) failing(what string, err error) func() tea.Cmd {
	if err == nil {
		return nil
	}
	return func() tea.Cmd { return p.fail(what, err) }
}

func (p *Pane) shortName(j engine.Job) string {
	return cells.Name(cells.Clean(j.Name), 30, p.opts.glyphs.Ellipsis)
}

// stop ends jobs politely: no question, their rows count the grace time down.
func (p *Pane) stop(jobs []engine.Job) tea.Cmd {
	return p.end(jobs, engine.StopOptions{By: client}, "stopped")
}

// kill ends jobs at once; several only after a question.
func (p *Pane) kill(jobs []engine.Job) tea.Cmd {
	if len(jobs) < 2 {
		return p.killNow(jobs)
	}
	return p.openDialog(
		fmt.Sprintf("Kill %d jobs?", len(jobs)), []string{p.names(jobs), "They get no chance to clean up."},
		[]dialog.Choice{{Name: "keep", Label: "Keep them"}, {Name: "kill", Label: "Kill them", Danger: true, Yes: true}},
		func(answer string) tea.Cmd {
			if answer != "kill" {
				return nil
			}
			return p.killNow(jobs)
		})
}

func (p *Pane) killNow(jobs []engine.Job) tea.Cmd {
	return p.end(jobs, engine.StopOptions{Grace: -1, By: client}, "killed")
}

// end ends each job in a command of its own: one that takes its grace time
// keeps no other waiting. ended is what it is called then.
func (p *Pane) end(jobs []engine.Job, o engine.StopOptions, ended string) tea.Cmd {
	var cmds []tea.Cmd
	for _, j := range jobs {
		if over(j) {
			continue
		}
		eng, name := p.eng, p.shortName(j)
		cmds = append(cmds, p.async(func(ctx context.Context) func() tea.Cmd {
			report, err := eng.Stop(ctx, j.ID, o)
			if err != nil {
				return p.failing(name+" was not stopped", err)
			}
			return func() tea.Cmd { return p.ending(name, report, ended) }
		}))
	}
	p.list.Unmark()
	return tea.Batch(cmds...)
}

// ending reports how a job was ended.
func (p *Pane) ending(name string, report engine.StopReport, ended string) tea.Cmd {
	if n := len(report.Survivors); n > 0 {
		first := report.Survivors[0]
		return p.say(toast.Error, fmt.Sprintf("%s left %d running: %d %s", name, n, first.PID, cells.Clean(first.Command)))
	}
	if report.Escalated && ended == "stopped" {
		return p.say(toast.Warning, name+" needed SIGKILL")
	}
	return p.say(toast.Success, ended+" "+name)
}

// signals of the menu, most wanted first.
func signals() []dialog.Choice {
	return []dialog.Choice{
		{Name: "SIGTERM", Label: "SIGTERM", Note: "end, please"},
		{Name: "SIGINT", Label: "SIGINT", Note: "as Ctrl+C"},
		{Name: "SIGHUP", Label: "SIGHUP", Note: "hang up; often: read the settings again"},
		{Name: "SIGQUIT", Label: "SIGQUIT", Note: "as Ctrl+\\; often: tell where you are"},
		{Name: "SIGUSR1", Label: "SIGUSR1", Note: "what the program makes of it"},
		{Name: "SIGUSR2", Label: "SIGUSR2", Note: "what the program makes of it"},
		{Name: "SIGSTOP", Label: "SIGSTOP", Note: "pause"},
		{Name: "SIGCONT", Label: "SIGCONT", Note: "go on"},
		{Name: "SIGWINCH", Label: "SIGWINCH", Note: "draw again"},
		{Name: "SIGKILL", Label: "SIGKILL", Note: "gone at once"},
	}
}

func (p *Pane) signalMenu(jobs []engine.Job) tea.Cmd {
	return p.openMenu("Signal to "+p.names(jobs), signals(), func(name string) tea.Cmd {
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
	eng, name := p.eng, p.shortName(j)
	return p.async(func(ctx context.Context) func() tea.Cmd {
		return p.failing("no signal to "+name, eng.Signal(ctx, j.ID, signal))
	})
}

// clear forgets finished jobs; it can be undone for a while.
func (p *Pane) clear(jobs []engine.Job) tea.Cmd {
	var ids []engine.ID
	for _, j := range jobs {
		if finished(j) {
			ids = append(ids, j.ID)
		}
	}
	p.list.Unmark()
	eng := p.eng
	return p.async(func(ctx context.Context) func() tea.Cmd {
		gone, err := eng.Clear(ctx, ids...)
		return func() tea.Cmd {
			switch {
			case err == nil:
				return p.cleared(gone, "cleared")
			case len(gone) > 0: // some went, some did not
				return tea.Batch(p.cleared(gone, "cleared"), p.fail("not cleared", err))
			}
			return p.fail("not cleared", err)
		}
	})
}

func (p *Pane) clearFinished() tea.Cmd {
	var jobs []engine.Job
	for _, j := range p.jobs {
		jobs = append(jobs, j.Job)
	}
	return p.clear(jobs)
}

// cleared offers to take a clear back.
func (p *Pane) cleared(jobs []engine.Job, word string) tea.Cmd {
	p.dirty = true
	if len(jobs) == 0 {
		return p.say(toast.Info, "nothing to clear")
	}
	if p.undoID == 0 {
		p.undo = nil
	}
	for _, j := range jobs {
		p.undo = append(p.undo, j.ID)
	}
	what := "takes it back"
	if len(p.undo) > 1 {
		what = "takes them back"
	}
	p.toasts.Drop(p.undoID)
	p.undoID = p.toasts.Show(toast.Message{Level: toast.Success, Text: with(word+" "+p.names(jobs), ";", p.does(p.opts.keys.Jobs.Undo, what)), Key: "undo"})
	return p.toastEnd(p.undoID, undoFor)
}

const undoFor = 5 * time.Second

func (p *Pane) undoClear() tea.Cmd {
	eng, ids := p.eng, p.undo
	p.toasts.Drop(p.undoID)
	p.undo, p.undoID = nil, 0
	return p.async(func(ctx context.Context) func() tea.Cmd {
		jobs, err := eng.Undo(ctx, ids...)
		if err != nil {
			return p.failing("not taken back", err)
		}
		return func() tea.Cmd {
			if len(jobs) > 0 {
				p.wish = jobs[0].ID
			}
			return tea.Batch(p.say(toast.Success, "back again: "+p.names(jobs)), p.settled())
		}
	})
}

// remove stops what runs, then clears; it asks.
func (p *Pane) remove(jobs []engine.Job) tea.Cmd {
	running := 0
	for _, j := range jobs {
		if !finished(j) {
			running++
		}
	}
	label, what := "Remove", "Its record and its output go."
	if len(jobs) > 1 {
		what = "Their records and their output go."
	}
	text := []string{what}
	switch {
	case running > 0 && len(jobs) == 1:
		label, text = "Stop and remove", []string{"It is running and will be stopped first.", what}
	case running > 0:
		label, text = "Stop and remove", []string{fmt.Sprintf("%d of them run and will be stopped first.", running), what}
	}
	return p.openDialog("Remove "+p.names(jobs)+"?", text,
		[]dialog.Choice{{Name: "keep", Label: "Keep"}, {Name: "remove", Label: label, Danger: true, Yes: true}},
		func(answer string) tea.Cmd {
			if answer != "remove" {
				return nil
			}
			p.list.Unmark()
			var cmds []tea.Cmd
			for _, j := range jobs {
				cmds = append(cmds, p.removeNow(j))
			}
			return tea.Batch(cmds...)
		})
}

func (p *Pane) removeNow(j engine.Job) tea.Cmd {
	eng, name := p.eng, p.shortName(j)
	return p.async(func(ctx context.Context) func() tea.Cmd {
		gone, err := eng.Remove(ctx, j.ID)
		if err != nil {
			return p.failing(name+" was not removed", err)
		}
		return func() tea.Cmd { return p.cleared(gone, "removed") }
	})
}

// restart runs the same request again as a new job.
func (p *Pane) restart(jobs []engine.Job) tea.Cmd {
	var cmds []tea.Cmd
	for _, before := range jobs {
		eng, name := p.eng, p.shortName(before)
		cmds = append(cmds, p.async(func(ctx context.Context) func() tea.Cmd {
			j, err := eng.Restart(ctx, before.ID)
			if err != nil {
				return p.failing(name+" was not restarted", err)
			}
			return func() tea.Cmd { return p.started(j) }
		}))
	}
	p.list.Unmark()
	return tea.Batch(cmds...)
}

// start starts what was asked for in a form; back is called if it is refused.
func (p *Pane) start(spec engine.Spec, back func()) tea.Cmd {
	eng := p.eng
	return p.async(func(ctx context.Context) func() tea.Cmd {
		j, err := eng.Start(ctx, spec)
		return func() tea.Cmd {
			if err != nil {
				back()
				return p.fail("not started", err)
			}
			return p.started(j)
		}
	})
}

// started selects a job that was started from here.
func (p *Pane) started(j engine.Job) tea.Cmd {
	p.wish = j.ID
	level, text := toast.Info, "started "+p.shortName(j)
	if before, ok := p.jobs[j.RestartedFrom]; ok && !finished(before.Job) {
		text += " again; the one before still runs"
	}
	if j.Status == engine.Failed {
		level, text = toast.Error, p.shortName(j)+" could not be started"
		if j.Exit.Error != "" {
			text += ": " + cells.Clean(j.Exit.Error)
		}
	}
	return tea.Batch(p.say(level, text), p.settled())
}

// write types a line into a job, or the several that were pasted.
func (p *Pane) write(j engine.Job, line string) tea.Cmd {
	line += "\n"
	if j.HasTerminal() {
		line = strings.ReplaceAll(line, "\n", "\r")
	}
	eng, name := p.eng, p.shortName(j)
	return p.async(func(ctx context.Context) func() tea.Cmd {
		return p.failing("not typed into "+name, eng.Write(ctx, j.ID, []byte(line)))
	})
}

func (p *Pane) copyCommand(jobs []engine.Job) tea.Cmd { return p.copy(commandText(jobs[0]), "command") }

func (p *Pane) copyPath(jobs []engine.Job) tea.Cmd {
	return p.copy(outputPath(jobs[0], p.shown.stream), "path")
}

func (p *Pane) openPager(jobs []engine.Job) tea.Cmd {
	return send(OpenMsg{Path: outputPath(jobs[0], p.shown.stream)})
}

func (p *Pane) openEditor(jobs []engine.Job) tea.Cmd {
	return send(OpenMsg{Path: outputPath(jobs[0], p.shown.stream), Editor: true})
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
	what = "the " + what
	said := what + ": " + cells.End(cells.Clean(text), 40, p.opts.glyphs.Ellipsis)
	if lines := strings.Count(text, "\n"); lines > 0 {
		what = fmt.Sprintf("%d lines", lines+1)
		said = what
	}
	return tea.Batch(p.toast(toast.Message{Text: "copied " + said, Key: "copied"}), send(CopyMsg{text, what}))
}

// commandText is what a person would type to run the job again.
func commandText(j engine.Job) string {
	if j.Script != "" {
		return j.Script
	}
	return detail.CommandLine(j.Command)
}

// names are the jobs in a few words.
func (p *Pane) names(jobs []engine.Job) string {
	switch len(jobs) {
	case 0:
		return "nothing"
	case 1:
		return p.shortName(jobs[0])
	case 2:
		return p.shortName(jobs[0]) + " and " + p.shortName(jobs[1])
	}
	return fmt.Sprintf("%s and %d more", p.shortName(jobs[0]), len(jobs)-1)
}
