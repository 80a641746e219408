package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/replay"
)

// WithReplay sets how recordings are played at first.
func WithReplay(o replay.Options) Option { return func(p *options) { p.replay = o } }

// Replay plays the recording of a job's terminal in the whole pane. When the user closes it, the
// host gets a [ReplayedMsg].
func (p *Pane) Replay(id engine.ID) tea.Cmd {
	t := p.tasks
	return t.async(func(ctx context.Context) func() tea.Cmd {
		rec, err := t.eng.OpenReplay(ctx, id)
		if err == nil && !t.open.keep(rec) {
			return nil
		}
		return func() tea.Cmd {
			if err != nil {
				return p.notices.fail("Can't replay", err)
			}
			return p.play(rec, id)
		}
	})
}

func (p *Pane) replay(jobs []engine.Job) tea.Cmd { return p.Replay(jobs[0].ID) }

func (p *Pane) play(rec recording, id engine.ID) tea.Cmd {
	running := !rec.Job().Status.Finished()
	line := p.newLine(prompt.Options{Label: "/"})
	ctx, stop := context.WithCancel(p.tasks.ctx)
	on := replay.Actions{Help: p.openHelp, Close: func() tea.Cmd {
		stop()
		p.modal.shut()
		return tea.Batch(p.tasks.release(rec), send(ReplayedMsg{ID: id}))
	}}
	m := replay.New(ctx, rec, p.shortName(rec.Job()), running, line, p.opts.keys.Replay, p.opts.keys.Input, p.styles, p.opts.replay, on)
	index := p.tasks.async(func(context.Context) func() tea.Cmd {
		_ = rec.Index(ctx, nil) // without it, seeking takes longer
		return nil
	})
	return tea.Batch(p.modal.open(&overlay{box: m, context: "replay", whole: true}), p.tasks.route(m.Init()), index)
}
