package ui

import (
	"context"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/logview"
)

// jobEngine is what a pane asks of an engine: an [engine.Engine], or one of a
// test.
type jobEngine interface {
	Subscribe(f engine.Filter) subscription
	OpenLog(ctx context.Context, id engine.ID, s engine.Stream) (openLog, error)
	Screen(ctx context.Context, id engine.ID) (engine.Screen, error)
	Entry(ctx context.Context, id engine.ID) (engine.Entry, error)
	OpenTerminal(ctx context.Context, id engine.ID, o engine.TerminalOptions) (engine.Terminal, error)

	Start(ctx context.Context, s engine.Spec, opts ...engine.StartOption) (engine.Job, error)
	Restart(ctx context.Context, id engine.ID, opts ...engine.StartOption) (engine.Job, error)
	Background(id engine.ID) error
	Write(ctx context.Context, id engine.ID, p []byte) error
	Signal(ctx context.Context, id engine.ID, name string) error
	Stop(ctx context.Context, id engine.ID, o engine.StopOptions) (engine.StopReport, error)
	Clear(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	Undo(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	Remove(ctx context.Context, id engine.ID) (engine.Job, error)
}

// subscription delivers facts: first a snapshot, then each fact once.
type subscription interface {
	Next(ctx context.Context) ([]engine.Event, error)
	// Attend names the jobs that are looked at closely.
	Attend(ids ...engine.ID)
	Close() error
}

// openLog is one stream of a job's output, read by windows.
type openLog interface {
	logview.Source
	Close() error
}

// realEngine is an engine whose kinds of subscription and log no longer matter.
type realEngine struct{ *engine.Engine }

func (e realEngine) Subscribe(f engine.Filter) subscription { return e.Engine.Subscribe(f) }

func (e realEngine) OpenLog(ctx context.Context, id engine.ID, s engine.Stream) (openLog, error) {
	log, err := e.Engine.OpenLog(ctx, id, s)
	if err != nil {
		return nil, err
	}
	return log, nil
}
