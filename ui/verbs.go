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

// Every verb: what keys and palette do to jobs. A verb decides and asks in
// Update; the deed is a command that captures values.

type verb int

const (
	verbStop verb = iota
	verbKill
	verbSignal
	verbClear
	verbUndo
	verbRemove
	verbRestart
	verbStart
	verbWrite
	verbBackground
)

// outcome is what came of a verb.
type outcome struct {
	verb   verb
	ids    []engine.ID
	name   string // of the job, for one
	jobs   []engine.Job
	report engine.StopReport
	err    error
	back   func() // with an error gives back what was typed, in Update; nil: nothing was
}

// client is who hob says ended a job from here.
const client = "ui"

// deed runs f outside of Update and brings its outcome back.
func (p *Pane) deed(v verb, jobs []engine.Job, f func(ctx context.Context, o *outcome)) tea.Cmd {
	s, ctx := stamp{pane: p}, p.ctx
	o := outcome{verb: v}
	for _, j := range jobs {
		o.ids = append(o.ids, j.ID)
	}
	if len(jobs) > 0 {
		o.name = p.shortName(jobs[0])
	}
	return func() tea.Msg {
		f(ctx, &o)
		return doneMsg{s, o}
	}
}

func (p *Pane) shortName(j engine.Job) string {
	return cells.Name(cells.Clean(j.Name), 30, p.opts.glyphs.Ellipsis)
}

// stop ends jobs politely: no question, their rows count the grace time down.
func (p *Pane) stop() tea.Cmd {
	return p.end(verbStop, p.targets("panes.stop"), engine.StopOptions{By: client})
}

// kill ends jobs at once; several only after a question.
func (p *Pane) kill() tea.Cmd {
	targets := p.targets("panes.kill")
	if len(targets) < 2 {
		return p.killNow(targets)
	}
	return p.openDialog(
		fmt.Sprintf("Kill %d jobs?", len(targets)), []string{p.names(targets), "They get no chance to clean up."},
		[]dialog.Choice{{Name: "keep", Label: "Keep them"}, {Name: "kill", Label: "Kill them", Danger: true, Yes: true}},
		func(answer string) tea.Cmd {
			if answer != "kill" {
				return nil
			}
			return p.killNow(targets)
		})
}

func (p *Pane) killNow(targets []engine.Job) tea.Cmd {
	return p.end(verbKill, targets, engine.StopOptions{Grace: -1, By: client})
}

// end ends each job in a command of its own: one that takes its grace time
// keeps no other waiting.
func (p *Pane) end(v verb, targets []engine.Job, o engine.StopOptions) tea.Cmd {
	var cmds []tea.Cmd
	for _, j := range targets {
		if j.Status.Finished() && len(j.Exit.Survivors) == 0 {
			continue
		}
		eng, id := p.eng, j.ID
		cmds = append(cmds, p.deed(v, []engine.Job{j}, func(ctx context.Context, done *outcome) {
			done.report, done.err = eng.Stop(ctx, id, o)
		}))
	}
	p.list.Unmark()
	return tea.Batch(cmds...)
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

func (p *Pane) signalMenu() tea.Cmd {
	targets := p.targets("panes.signal")
	return p.openMenu("Signal to "+p.names(targets), signals(), func(name string) tea.Cmd {
		if name == "" {
			return nil
		}
		eng := p.eng
		var cmds []tea.Cmd
		for _, j := range targets {
			id := j.ID
			cmds = append(cmds, p.deed(verbSignal, []engine.Job{j}, func(ctx context.Context, done *outcome) {
				done.err = eng.Signal(ctx, id, name)
			}))
		}
		return tea.Batch(cmds...)
	})
}

// clear forgets finished jobs; it can be undone for a while.
func (p *Pane) clear() tea.Cmd {
	var finished []engine.Job
	for _, j := range p.targets("jobs.clear") {
		if j.Status.Finished() {
			finished = append(finished, j)
		}
	}
	return p.clearJobs(finished)
}

func (p *Pane) clearFinished() tea.Cmd {
	var finished []engine.Job
	for _, j := range p.jobs {
		if j.Status.Finished() {
			finished = append(finished, j.Job)
		}
	}
	return p.clearJobs(finished)
}

func (p *Pane) clearJobs(jobs []engine.Job) tea.Cmd {
	p.list.Unmark()
	eng := p.eng
	return p.deed(verbClear, jobs, func(ctx context.Context, done *outcome) {
		done.jobs, done.err = eng.Clear(ctx, done.ids...)
	})
}

func (p *Pane) undoClear() tea.Cmd {
	eng, ids := p.eng, p.undo
	p.toasts.Drop(p.undoID)
	p.undo, p.undoID = nil, 0
	return p.deed(verbUndo, nil, func(ctx context.Context, done *outcome) {
		done.jobs, done.err = eng.Undo(ctx, ids...)
	})
}

// remove stops what runs, then clears; it asks.
func (p *Pane) remove() tea.Cmd {
	targets := p.targets("jobs.remove")
	running := 0
	for _, j := range targets {
		if !j.Status.Finished() {
			running++
		}
	}
	label, what := "Remove", "Its record and its output go."
	if len(targets) > 1 {
		what = "Their records and their output go."
	}
	text := []string{what}
	switch {
	case running > 0 && len(targets) == 1:
		label, text = "Stop and remove", []string{"It is running and will be stopped first.", what}
	case running > 0:
		label, text = "Stop and remove", []string{fmt.Sprintf("%d of them run and will be stopped first.", running), what}
	}
	return p.openDialog("Remove "+p.names(targets)+"?", text,
		[]dialog.Choice{{Name: "keep", Label: "Keep"}, {Name: "remove", Label: label, Danger: true, Yes: true}},
		func(answer string) tea.Cmd {
			if answer != "remove" {
				return nil
			}
			p.list.Unmark()
			eng := p.eng
			var cmds []tea.Cmd
			for _, j := range targets {
				id := j.ID
				cmds = append(cmds, p.deed(verbRemove, []engine.Job{j}, func(ctx context.Context, done *outcome) {
					var gone engine.Job
					gone, done.err = eng.Remove(ctx, id)
					done.jobs = []engine.Job{gone}
				}))
			}
			return tea.Batch(cmds...)
		})
}

// restart runs the same request again as a new job.
func (p *Pane) restart() tea.Cmd {
	eng := p.eng
	var cmds []tea.Cmd
	for _, j := range p.targets("jobs.restart") {
		id := j.ID
		cmds = append(cmds, p.deed(verbRestart, []engine.Job{j}, func(ctx context.Context, done *outcome) {
			var j engine.Job
			j, done.err = eng.Restart(ctx, id)
			done.jobs = []engine.Job{j}
		}))
	}
	p.list.Unmark()
	return tea.Batch(cmds...)
}

// start starts what was asked for in a form; back is called if it is refused.
func (p *Pane) start(spec engine.Spec, back func()) tea.Cmd {
	eng := p.eng
	return p.deed(verbStart, nil, func(ctx context.Context, done *outcome) {
		done.back = back
		var j engine.Job
		j, done.err = eng.Start(ctx, spec)
		done.jobs = []engine.Job{j}
	})
}

// write types a line into a job, or the several that were pasted.
func (p *Pane) write(j engine.Job, line string) tea.Cmd {
	line += "\n"
	if j.HasTerminal() {
		line = strings.ReplaceAll(line, "\n", "\r")
	}
	eng, id := p.eng, j.ID
	return p.deed(verbWrite, []engine.Job{j}, func(ctx context.Context, done *outcome) {
		done.err = eng.Write(ctx, id, []byte(line))
	})
}

func (p *Pane) copyCommand() tea.Cmd {
	j := p.targets("jobs.copy-command")[0]
	return p.copy(commandText(j), "command")
}

func (p *Pane) copyPath() tea.Cmd {
	j := p.targets("panes.copy-path")[0]
	return p.copy(outputPath(j, p.shown.stream), "path")
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

func (p *Pane) openOutput(editor bool) tea.Cmd {
	j := p.targets("panes.pager")[0]
	return send(OpenMsg{Path: outputPath(j, p.shown.stream), Editor: editor})
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

const undoFor = 5 * time.Second

// did tells what came of a verb.
func (p *Pane) did(o outcome) tea.Cmd {
	p.dirty = true
	if o.verb == verbBackground {
		return p.backgrounded(o)
	}
	if o.err != nil {
		if o.back != nil {
			o.back()
		}
		failed := p.fail(o.verb.what(o.name), o.err)
		if o.verb == verbClear && len(o.jobs) > 0 { // some went, some did not
			return tea.Batch(p.cleared(o.jobs, "cleared"), failed)
		}
		return failed
	}
	switch o.verb {
	case verbStop, verbKill:
		return p.stopped(o)
	case verbClear:
		return p.cleared(o.jobs, "cleared")
	case verbRemove:
		return p.cleared(o.jobs, "removed")
	case verbUndo:
		if len(o.jobs) > 0 {
			p.wish = o.jobs[0].ID
		}
		return tea.Batch(p.say(toast.Success, "back again: "+p.names(o.jobs)), p.settled())
	case verbRestart, verbStart:
		j := o.jobs[0]
		p.wish = j.ID
		if j.Status == engine.Failed {
			text := p.shortName(j) + " could not be started"
			if j.Exit.Error != "" {
				text += ": " + cells.Clean(j.Exit.Error)
			}
			return tea.Batch(p.say(toast.Error, text), p.settled())
		}
		text := "started " + p.shortName(j)
		if before, ok := p.jobs[j.RestartedFrom]; ok && !before.Status.Finished() {
			text += " again; the one before still runs"
		}
		return tea.Batch(p.say(toast.Info, text), p.settled())
	case verbSignal, verbWrite, verbBackground:
	}
	return nil
}

func (p *Pane) stopped(o outcome) tea.Cmd {
	text, level := "stopped "+o.name, toast.Success
	if o.verb == verbKill {
		text = "killed " + o.name
	}
	if o.report.Escalated && o.verb == verbStop {
		text, level = o.name+" needed SIGKILL", toast.Warning
	}
	if n := len(o.report.Survivors); n > 0 {
		first := o.report.Survivors[0]
		text, level = fmt.Sprintf("%s left %d running: %d %s", o.name, n, first.PID, cells.Clean(first.Command)), toast.Error
	}
	return p.say(level, text)
}

// cleared offers to take a clear back.
func (p *Pane) cleared(jobs []engine.Job, word string) tea.Cmd {
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

// what names a verb that failed.
func (v verb) what(name string) string {
	switch v {
	case verbStop, verbKill:
		return name + " was not stopped"
	case verbSignal:
		return "no signal to " + name
	case verbClear:
		return "not cleared"
	case verbUndo:
		return "not taken back"
	case verbRemove:
		return name + " was not removed"
	case verbRestart:
		return name + " was not restarted"
	case verbStart:
		return "not started"
	case verbWrite:
		return "not typed into " + name
	case verbBackground:
	}
	return "not done"
}
