package ui

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
	enginereplay "github.com/hobjobs/hob/engine/replay"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/replay"
)

// jobEngine is the engine as used by a pane: an [engine.Engine], or a fake in tests.
type jobEngine interface {
	Subscribe(f engine.Filter) subscription
	OpenLog(ctx context.Context, id engine.ID, s engine.Stream) (openLog, error)
	OpenGroup(ctx context.Context, o grouplog.Options) (groupStream, error)
	OpenReplay(ctx context.Context, id engine.ID) (recording, error)
	Finding(ctx context.Context, id engine.ID) (string, error)
	// NotifyFailed returns how the command of [notify] last failed for a job; nil: it did not.
	NotifyFailed(ctx context.Context, id engine.ID) (*engine.NotifyFailure, error)
	Screen(ctx context.Context, id engine.ID) (engine.Screen, error)
	Entry(ctx context.Context, id engine.ID) (engine.Entry, error)
	OpenTerminal(ctx context.Context, id engine.ID, o engine.TerminalOptions) (engine.Terminal, error)

	Start(ctx context.Context, s engine.Spec, opts ...engine.StartOption) (engine.Job, error)
	Restart(ctx context.Context, id engine.ID, o engine.RestartOptions) (engine.Job, error)
	Revive(ctx context.Context, o engine.ReviveOptions, opts ...engine.StartOption) ([]engine.Revival, error)
	Background(id engine.ID) error
	Write(ctx context.Context, id engine.ID, p []byte) error
	Signal(ctx context.Context, id engine.ID, name string) error
	StopAll(ctx context.Context, jobs []engine.Job, o engine.StopOptions, stopped func(i int, r engine.StopReport, err error))
	Clear(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	Undo(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	Remove(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	MarkSeen(ids ...engine.ID) error

	Queues(ctx context.Context, host string) ([]engine.Queue, error)
	SetQueue(ctx context.Context, name string, c engine.QueueChange) (engine.Queue, error)
	StartQueued(ctx context.Context, when engine.Turn, ids ...engine.ID) error
}

// subscription delivers events: first a snapshot, then each event once.
type subscription interface {
	Next(ctx context.Context) ([]engine.Event, error)
	// Attend sets the jobs on screen.
	Attend(ids ...engine.ID)
	// Measure sets the jobs whose usage is on screen.
	Measure(ids ...engine.ID)
	Close() error
}

type openLog interface {
	logview.Source
	Close() error
}

type recording interface {
	replay.Recording
	Job() engine.Job
	Index(ctx context.Context, progress func(time.Duration)) error
	Close() error
}

// realEngine adapts an [engine.Engine]: a pane keeps the ids of its jobs, not handles.
type realEngine struct{ *engine.Engine }

func (e realEngine) Subscribe(f engine.Filter) subscription { return e.Engine.Subscribe(f) }

func (e realEngine) OpenLog(ctx context.Context, id engine.ID, s engine.Stream) (openLog, error) {
	log, err := e.Handle(id).Log(ctx, s)
	if err != nil {
		return nil, err
	}
	return log, nil
}

func (e realEngine) OpenGroup(ctx context.Context, o grouplog.Options) (groupStream, error) {
	stream, err := grouplog.Open(ctx, e.Engine, o)
	if err != nil {
		return nil, err
	}
	s := &lockedStream{stream: stream}
	s.life, s.end = context.WithCancel(context.Background())
	return s, nil
}

// lockedStream is a stream that may be closed while it is read.
type lockedStream struct {
	mu     sync.Mutex // guards stream
	stream *grouplog.Stream
	life   context.Context // canceled by Close, which ends a call of Next
	end    context.CancelFunc
}

func (s *lockedStream) Next(ctx context.Context) ([]grouplog.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	return s.stream.Next(ctx)
}

func (s *lockedStream) Close() error {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream.Close()
}

func (e realEngine) OpenReplay(ctx context.Context, id engine.ID) (recording, error) {
	r, err := enginereplay.Open(ctx, e.Handle(id))
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (e realEngine) Finding(ctx context.Context, id engine.ID) (string, error) {
	why, err := e.Handle(id).Explain(ctx, false)
	return why.Finding, err
}

func (e realEngine) NotifyFailed(ctx context.Context, id engine.ID) (*engine.NotifyFailure, error) {
	j, err := e.Handle(id).Facts(ctx)
	return j.NotifyFailed, err
}

func (e realEngine) Screen(ctx context.Context, id engine.ID) (engine.Screen, error) {
	return e.Handle(id).Screen(ctx)
}

func (e realEngine) Entry(ctx context.Context, id engine.ID) (engine.Entry, error) {
	return e.Handle(id).Entry(ctx)
}

func (e realEngine) OpenTerminal(ctx context.Context, id engine.ID, o engine.TerminalOptions) (engine.Terminal, error) {
	return e.Handle(id).Terminal(ctx, o)
}

func (e realEngine) Restart(ctx context.Context, id engine.ID, o engine.RestartOptions) (engine.Job, error) {
	return e.Handle(id).Restart(ctx, o)
}

func (e realEngine) Background(id engine.ID) error { return e.Handle(id).Background() }

func (e realEngine) Write(ctx context.Context, id engine.ID, p []byte) error {
	return e.Handle(id).Write(ctx, p)
}

func (e realEngine) Signal(ctx context.Context, id engine.ID, name string) error {
	return e.Handle(id).Signal(ctx, name)
}

func (e realEngine) Clear(ctx context.Context, ids ...engine.ID) ([]engine.Job, error) {
	return e.Engine.Remove(ctx, engine.RemoveOptions{}, ids...)
}

func (e realEngine) Remove(ctx context.Context, ids ...engine.ID) ([]engine.Job, error) {
	return e.Engine.Remove(ctx, engine.RemoveOptions{Stop: true}, ids...)
}

// resources tracks what a pane has open: subscriptions, logs, terminal sessions. Commands open
// them in their own goroutines; without resources a pane that is closed in between would leak
// them. Safe for concurrent use.
type resources struct {
	mu     sync.Mutex
	closed bool
	open   map[io.Closer]struct{}
}

// keep keeps c until [resources.release] or close. After close it closes c at once and returns
// false.
func (h *resources) keep(c io.Closer) bool {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		_ = c.Close() // the pane is closed: errors have no receiver
		return false
	}
	if h.open == nil {
		h.open = map[io.Closer]struct{}{}
	}
	h.open[c] = struct{}{}
	h.mu.Unlock()
	return true
}

func (h *resources) release(c io.Closer) error {
	h.mu.Lock()
	_, held := h.open[c]
	delete(h.open, c)
	h.mu.Unlock()
	if !held {
		return nil
	}
	return c.Close()
}

func (h *resources) close() error {
	h.mu.Lock()
	open := h.open
	h.open, h.closed = nil, true
	h.mu.Unlock()
	var errs []error
	for c := range open {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
