package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// WithConnect is how a person who opens a job on a host connects to that, asked
// what there is to ask (see [AskMsg]): looking alone asks nothing. made is false
// if the host was connected already.
func WithConnect(f func(ctx context.Context, host string) (made bool, err error)) Option {
	return func(o *options) { o.connect = f }
}

// reach connects to the host of the selected job.
func (p *Pane) reach() tea.Cmd {
	j, ok := p.list.Selected()
	if !ok || j.Host == "" || p.opts.connect == nil {
		return nil
	}
	connect := p.opts.connect
	return p.async(func(ctx context.Context) func() tea.Cmd {
		made, err := connect(ctx, j.Host)
		return func() tea.Cmd { return p.reached(j, made, err) }
	})
}

// unread says why a log cannot be read, and how a person gets the host to be asked.
func (p *Pane) unread(err error) string {
	text := hint(err)
	if p.opts.connect != nil && errors.Is(err, engine.ErrUnreachable) {
		text += "; " + p.keyLabel(p.opts.keys.Jobs.Open) + " in the list connects to it"
	}
	return text
}

// reached reads the log of the job again whose host can be asked now.
func (p *Pane) reached(j engine.Job, made bool, err error) tea.Cmd {
	switch {
	case err != nil:
		return p.fail("no connection to "+j.Host, err)
	case made && j.ID == p.shown.id && p.shown.log != nil:
		return tea.Batch(p.closeLog(), p.openLog())
	}
	return nil
}

// interruptShown sends the job in the foreground what its terminal would for
// Ctrl+C, if it had one.
func (p *Pane) interruptShown() tea.Cmd {
	j, ok := p.jobs[p.attachment.id]
	if !ok {
		return nil
	}
	return p.signal(j.Job, "SIGINT")
}
