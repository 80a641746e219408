package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// TerminalSize returns the size of a job's terminal in a pane of w columns and h rows: the last
// row is the pane's own if there is more than one. A job started with this size need not be
// resized at once.
func TerminalSize(w, h int) engine.Size {
	if h < 2 {
		return engine.Size{Cols: w, Rows: h}
	}
	return engine.Size{Cols: w, Rows: h - 1}
}

// Foreground shows a job in the whole pane and passes it all keys. The leave key sends the job to
// the background and a [BackgroundedMsg] to the host. When the job ends, its last screen stays
// until Enter; then the host gets a [LeaveMsg].
func (p *Pane) Foreground(id engine.ID) tea.Cmd {
	p.selectNext = id
	return p.attach(id, true)
}

// attachTo shows a job in the whole pane at the user's request.
func (p *Pane) attachTo(jobs []engine.Job) tea.Cmd {
	if jobs[0].Host != "" && jobs[0].Link == engine.LinkUnreachable && p.opts.connect != nil {
		return p.reach() // its host must be connected first
	}
	if j := jobs[0]; j.Kind == engine.KindFile { // an empty window until its host answers would promise a terminal
		p.notices.Clear()
		return p.showOutputOnly(j.ID)
	}
	return p.attach(jobs[0].ID, false)
}

// showOutputOnly moves the focus to the log of a job that cannot be attached to, with the reason. The user
// may already be typing for the job.
func (p *Pane) showOutputOnly(id engine.ID) tea.Cmd {
	p.view.focus = areaLog
	why := "No terminal; showing the output"
	switch j, ok := p.jobs.all[id]; {
	case !ok: // removed meanwhile
	case j.Status == engine.Lost:
		why = "The job is lost; showing its last output"
	case j.Status.Finished():
		why = "The job has exited; showing its output"
	case j.Status == engine.Queued:
		why = "No terminal, and the job is still queued"
	case j.Stdin.Writable():
		why = p.dotted(why, p.does(p.opts.keys.Panes.SendLine, "send line"))
	}
	return tea.Batch(p.arrange(), p.notices.refuse(why), p.ignoring.begin())
}

func (p *Pane) attach(id engine.ID, byHost bool) tea.Cmd {
	cmds := []tea.Cmd{p.fore.attach(id, byHost)}
	p.modal.over, p.modal.prompt = nil, nil
	p.notices.Clear()
	p.notices.interrupted = 0
	cmds = append(cmds, p.arrange(), p.fore.open(), p.tick())
	return tea.Batch(cmds...)
}

func (p *Pane) focusList() { p.view.focus, p.view.zoomed = areaList, false }

func (p *Pane) showPanes(id engine.ID) tea.Cmd {
	if p.selectNext = id; p.list.Select(id) {
		p.selectNext = ""
	}
	return tea.Batch(p.arrange(), p.show(), p.tick())
}

func (p *Pane) showAttached() tea.Cmd {
	return tea.Batch(p.show(), p.arrange())
}
