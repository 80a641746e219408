package ui

import (
	"github.com/hobjobs/hob/ui/components/detail"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/terminal"
	"github.com/hobjobs/hob/ui/components/toast"
)

func (p *Pane) makeComponents() {
	o, s := &p.opts, p.styles
	p.list = joblist.New(o.keys.List, s, joblist.Options{Minutes: o.calm, Fold: true, Groups: len(o.filter.Labels) == 0})
	if project := o.project; project != nil {
		p.list.SetProject(&joblist.Project{Name: project.Name, Labels: project.Labels, Order: project.Order})
	}
	p.list.SetHints(p.keyLabel(o.keys.Jobs.New), p.firstCommand(), p.firstWords()...)
	p.detail = detail.New(o.keys.Detail, s, detail.Options{Home: o.home, Minutes: o.calm, Input: p.answering()})
	p.notices = &notices{Model: toast.New(s), tasks: p.tasks}
	p.output = newOutput(p.labels, p.tasks, p.jobs, p.notices, p.logError)
}

// makeParts gives each part of the pane what it needs of the others.
func (p *Pane) makeParts() {
	p.viewed = viewed{tasks: p.tasks, jobs: p.jobs}
	p.ignoring = &keyPause{tasks: p.tasks}
	p.modal = &modal{labels: p.labels, tasks: p.tasks, notices: p.notices}
	p.questions = &questions{labels: p.labels, modal: p.modal, pause: p.ignoring}
	p.fore = &foreground{
		labels:  p.labels,
		tasks:   p.tasks,
		notices: p.notices,
		jobs:    p.jobs,
		pause:   p.ignoring,
		panes:   p,
		term:    terminal.New(p.styles),
	}
	p.searches = &searches{
		labels:  p.labels,
		tasks:   p.tasks,
		notices: p.notices,
		modal:   p.modal,
		output:  p.output,
		history: p.history,
	}
	p.lines = &lineSender{
		labels:  p.labels,
		tasks:   p.tasks,
		notices: p.notices,
		jobs:    p.jobs,
		modal:   p.modal,
		output:  p.output,
		history: p.history,
	}
	p.forms = &jobForms{
		labels:  p.labels,
		tasks:   p.tasks,
		jobs:    p.jobs,
		modal:   p.modal,
		history: p.history,
		list:    p.list,
		starter: p,
	}
	p.jobActions = &jobActions{
		labels:   p.labels,
		tasks:    p.tasks,
		notices:  p.notices,
		modal:    p.modal,
		list:     p.list,
		output:   p.output,
		jobs:     p.jobs,
		pane:     p,
		restarts: &restarts{},
	}
	p.conditions = &conditions{
		labels:  p.labels,
		view:    p.view,
		list:    p.list,
		output:  p.output,
		notices: p.notices,
	}
	p.painter = &painter{
		labels: p.labels,
		view:   p.view,
		modal:  p.modal,
		list:   p.list,
		detail: p.detail,
		output: p.output,
	}
	p.actions = newActionSet(p.conditions, p.jobs, p.actionTable())
}
