package local

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// defaultGrace is how long a job may take to end before SIGKILL unless it was
// given another time.
const defaultGrace = 5 * time.Second

// Run is one job of this machine. It keeps nothing open between calls and is safe
// for concurrent use.
type Run struct {
	b       *Backend
	id      engine.ID
	dir     string
	request engine.Request
	begun   *engine.State // what the holder answered to the start; nil: not started by us

	glances atomic.Bool
	paced   chan struct{} // of size 1; has a value when glances has changed
}

// Glance implements [engine.Glancer].
func (r *Run) Glance(on bool) {
	r.glances.Store(on)
	select {
	case r.paced <- struct{}{}:
	default:
	}
}

// Begun implements [engine.StartObserver].
func (r *Run) Begun() (engine.State, bool) {
	if r.begun == nil {
		return engine.State{}, false
	}
	return *r.begun, true
}

// ID implements [engine.Run].
func (r *Run) ID() engine.ID { return r.id }

// do sends one instruction to the holder.
func (r *Run) do(ctx context.Context, op string, t holder.Type, payload, result any) error {
	c, err := holder.Dial(ctx, r.dir)
	if err != nil {
		return r.errorOf(op, err)
	}
	defer c.Close()
	return r.errorOf(op, holder.Parted(r.dir, c.Do(ctx, t, payload, result)))
}

// Signal implements [engine.Run].
func (r *Run) Signal(ctx context.Context, name, by string) error {
	return r.do(ctx, "signal", holder.TypeSignal, holder.Signal{Name: name, By: by}, nil)
}

// Write implements [engine.Run].
func (r *Run) Write(ctx context.Context, p []byte) error {
	c, err := holder.Dial(ctx, r.dir)
	if err != nil {
		return r.errorOf("write", err)
	}
	defer c.Close()
	return r.errorOf("write", c.Type(ctx, r.dir, p))
}

// CloseInput implements [engine.Run].
func (r *Run) CloseInput(ctx context.Context) error {
	return r.do(ctx, "close input", holder.TypeEOF, nil, nil)
}

// SendKeys implements [engine.KeySender].
func (r *Run) SendKeys(ctx context.Context, keys []string) error {
	return r.do(ctx, "send keys", holder.TypeKeys, keys, nil)
}

// Paste implements [engine.KeySender].
func (r *Run) Paste(ctx context.Context, p []byte) error {
	c, err := holder.Dial(ctx, r.dir)
	if err != nil {
		return r.errorOf("paste", err)
	}
	defer c.Close()
	return r.errorOf("paste", c.Paste(ctx, r.dir, p))
}

// Resize implements [engine.Resizer].
func (r *Run) Resize(ctx context.Context, s engine.Size) error {
	return r.do(ctx, "resize", holder.TypeResize, s, nil)
}

// Background implements [engine.Backgrounder]. A job that has ended is no error
// of this method's.
func (r *Run) Background(ctx context.Context) error {
	return r.do(ctx, "background", holder.TypeBackground, nil, nil)
}

// Stop implements [engine.Run].
func (r *Run) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	k := holder.Kill{KeepDaemons: o.KeepDaemons, By: o.By, Reason: o.Reason}
	switch {
	case o.Grace < 0:
		k.GraceMS = -1
	case o.Grace > 0:
		k.GraceMS = max(1, o.Grace.Milliseconds())
	}
	if k.Reason == "" {
		k.Reason = engine.ReasonKill
	}
	var report holder.KillReport
	err := r.do(ctx, "stop", holder.TypeKill, k, &report)
	if errors.Is(err, engine.ErrNotRunning) {
		// Nobody holds it; what it left is found by its environment.
		return r.stopSurvivors(ctx, o)
	}
	return reportOf(report), err
}

func reportOf(k holder.KillReport) engine.StopReport {
	return engine.StopReport{
		Took:      time.Duration(k.TookMS) * time.Millisecond,
		Escalated: k.Escalated,
		Survivors: k.Survivors,
	}
}

// Wait implements [engine.Run].
func (r *Run) Wait(ctx context.Context) (engine.Exit, error) {
	var exit engine.Exit
	err := r.Watch(ctx, func(s engine.State, _ engine.Note) { exit = s.Exit })
	return exit, err
}

// Screen implements [engine.ScreenReader].
func (r *Run) Screen(ctx context.Context) (engine.Screen, error) {
	var s holder.Screen
	err := r.do(ctx, "screen", holder.TypeScreen, nil, &s)
	if err == nil || !errors.Is(err, engine.ErrNotRunning) {
		return screenOf(s), err
	}
	last, err := holder.LastScreen(r.dir)
	return screenOf(last), r.errorOf("screen", err)
}

// OpenOutput implements [engine.Run]: the file itself.
func (r *Run) OpenOutput(_ context.Context, s engine.Stream) (engine.Output, error) {
	f, err := jobdir.OpenLog(r.dir, s.File())
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(engine.ErrNotFound, err)
	}
	if err != nil {
		return nil, r.errorOf("open output", err)
	}
	return output{f}, nil
}

// output is one of the job's logs.
type output struct{ *logfile.File }

// Holes implements [engine.Output].
func (o output) Holes(ctx context.Context) ([]engine.Range, error) {
	h, err := o.Hole(ctx)
	if err != nil || h.Empty() {
		return nil, err
	}
	return []engine.Range{{Start: h.Start, End: h.End}}, nil
}
