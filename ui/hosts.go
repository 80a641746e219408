package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/toast"
)

// WithConnect sets how to connect to a host when the user opens one of its jobs. f may ask the
// user questions (see [AskMsg]); only looking at jobs never does. made is false if the host was
// already connected.
func WithConnect(f func(ctx context.Context, host string) (made bool, err error)) Option {
	return func(o *options) { o.connect = f }
}

func (p *Pane) reach() tea.Cmd {
	j, _ := p.list.Selected()
	if j.Host == "" || p.opts.connect == nil {
		return nil
	}
	connect := p.opts.connect
	p.output.connecting = j.Host
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		made, err := connect(ctx, j.Host)
		return func() tea.Cmd { return p.reached(j, made, err) }
	})
}

// logError returns why the log cannot be read and, if its host can be connected, the key for that.
func (p *Pane) logError(err error) string {
	j, ok := p.output.job()
	if !ok || j.Host == "" || !errors.Is(err, engine.ErrUnreachable) {
		return hint(err)
	}
	text := cells.Clean(j.Host) + " is unreachable"
	open := p.opts.keys.Jobs.Open
	if p.view.focus == areaLog {
		open = p.opts.keys.Log.Attach
	}
	if p.opts.connect == nil || !open.Enabled() {
		return text
	}
	return text + ". Press " + p.keyLabel(open) + " to reconnect."
}

// reached reads the log again after its host was connected.
func (p *Pane) reached(j engine.Job, made bool, err error) tea.Cmd {
	p.output.connecting = ""
	if err != nil {
		text := "Can't connect to " + cells.Clean(j.Host) + ": " + hint(err)
		return p.notices.post(toast.Message{Level: toast.Error, Text: text, Key: connectKey(j.Host)})
	}
	p.notices.DropKey(connectKey(j.Host))
	if made && j.ID == p.output.id && p.output.source != nil {
		return tea.Batch(p.output.closeLog(), p.output.openLog())
	}
	return nil
}

// connectKey is the key of the message that a host cannot be connected, which disappears when the
// host answers again.
func connectKey(host string) string { return "connect " + host }

// interruptShown sends the foreground job the signal that Ctrl+C sends in a terminal. A queued job,
// which has no process, is ended.
func (p *Pane) interruptShown() tea.Cmd {
	j, ok := p.jobs.all[p.fore.job.id]
	if !ok {
		return nil
	}
	if j.Status == engine.Queued {
		return p.jobActions.stop([]engine.Job{j.Job})
	}
	return p.jobActions.signal(j.Job, "SIGINT")
}
