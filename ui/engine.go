package ui

import (
	"context"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/logview"
)

// Engine is what a pane asks of an engine; *[engine.Engine] is one. The type
// parameters are inferred: they let anything that hands out its own kind of
// subscription and log stand in for the engine.
type Engine[S Subscription, L Log] interface {
	Subscribe(f engine.Filter) S
	OpenLog(ctx context.Context, id engine.ID, s engine.Stream) (L, error)
	Screen(ctx context.Context, id engine.ID) (engine.Screen, error)
	Actions
}

// Subscription delivers facts: first a snapshot, then each fact once.
type Subscription interface {
	Next(ctx context.Context) ([]engine.Event, error)
	Close() error
}

// Attender is a [Subscription] that takes it easier with jobs that nobody looks at
// closely; see [engine.Subscription.Attend].
type Attender interface {
	Attend(ids ...engine.ID)
}

// EntryReader is an [Engine] that can find out what is to be seen of what is typed
// into a job, where [engine.Job] does not say; see [engine.Engine.Entry].
type EntryReader interface {
	Entry(ctx context.Context, id engine.ID) (engine.Entry, error)
}

// Log is one stream of a job's output, read by windows.
type Log interface {
	logview.Source
	Close() error
}

// Actions is what a pane does to jobs.
type Actions interface {
	Start(ctx context.Context, s engine.Spec, opts ...engine.StartOption) (engine.Job, error)
	Restart(ctx context.Context, id engine.ID, opts ...engine.StartOption) (engine.Job, error)
	Background(id engine.ID) error
	OpenTerminal(ctx context.Context, id engine.ID, o engine.TerminalOptions) (engine.Terminal, error)
	Write(ctx context.Context, id engine.ID, p []byte) error
	Signal(ctx context.Context, id engine.ID, name string) error
	Stop(ctx context.Context, id engine.ID, o engine.StopOptions) (engine.StopReport, error)
	Clear(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	Undo(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	Remove(ctx context.Context, id engine.ID) (engine.Job, error)
}

var (
	_ Engine[*engine.Subscription, *engine.Log] = (*engine.Engine)(nil)
	_ Attender                                  = (*engine.Subscription)(nil)
	_ EntryReader                               = (*engine.Engine)(nil)
)

// service is an Engine whose kinds of subscription and log no longer matter.
type service interface {
	Actions
	subscribe(f engine.Filter) Subscription
	openLog(ctx context.Context, id engine.ID, s engine.Stream) (Log, error)
	lastScreen(ctx context.Context, id engine.ID) (engine.Screen, error)
	entry(ctx context.Context, id engine.ID) (engine.Entry, error)
}

type adapter[S Subscription, L Log] struct{ Engine[S, L] }

func (a adapter[S, L]) subscribe(f engine.Filter) Subscription { return a.Subscribe(f) }

func (a adapter[S, L]) lastScreen(ctx context.Context, id engine.ID) (engine.Screen, error) {
	return a.Screen(ctx, id)
}

func (a adapter[S, L]) entry(ctx context.Context, id engine.ID) (engine.Entry, error) {
	if r, ok := any(a.Engine).(EntryReader); ok {
		return r.Entry(ctx, id)
	}
	return engine.EntryUnknown, nil
}

func (a adapter[S, L]) openLog(ctx context.Context, id engine.ID, s engine.Stream) (Log, error) {
	log, err := a.OpenLog(ctx, id, s)
	if err != nil {
		return nil, err
	}
	return log, nil
}
