package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
)

// birthTime is how long a directory of an earlier version of hob may exist before
// its holder has its lock.
const birthTime = 10 * time.Second

// virtualBackend reaches virtual and attached executions: those of this program
// directly, those of others through their files and sockets. Their rule of life
// is the lock: whoever performs the execution holds it.
type virtualBackend struct{ e *Engine }

var _ Backend = (*virtualBackend)(nil)

func (b *virtualBackend) Name() string               { return virtualName }
func (b *virtualBackend) Capabilities() Capabilities { return Capabilities{} }
func (b *virtualBackend) Serves(string) bool         { return false }
func (b *virtualBackend) Close() error               { return nil }

func (b *virtualBackend) Start(context.Context, Launch) (Run, error) { return nil, ErrUnsupported }

func (b *virtualBackend) Open(_ context.Context, r Record) (Run, error) {
	return &virtualRun{e: b.e, id: r.ID, dir: r.Dir}, nil
}

func (b *virtualBackend) Observe(ctx context.Context, rs []Record) (map[ID]State, error) {
	seen := make(map[ID]State, len(rs))
	var bad []error
	for _, r := range rs {
		if err := ctx.Err(); err != nil {
			return seen, err
		}
		j, err := b.e.lookVirtual(r.ID, r.Dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil { // which says nothing about the others
			bad = append(bad, fmt.Errorf("%s: %w", r.ID, err))
			continue
		}
		seen[r.ID] = j.State
	}
	return seen, errors.Join(bad...)
}

// lookVirtual is how an execution stands by its lock and records.
func (e *Engine) lookVirtual(id ID, dir string) (Job, error) {
	if x := e.execution(id); x != nil {
		return x.Job(), nil
	}
	rec, err := jobdir.Read(dir)
	if err != nil {
		return Job{}, err
	}
	held := true
	for !rec.Finished() {
		if held = jobdir.Locked(dir); held {
			break
		}
		// The lock comes before the begin is recorded and goes after the end is.
		before := rec.Started
		if rec, err = jobdir.Read(dir); err != nil {
			return Job{}, err
		}
		if rec.Started == before {
			break
		}
	}
	j := e.jobOf(&rec)
	young := !rec.Started && !rec.Meta.Held && e.cfg.now().Sub(rec.Meta.CreatedAt) < birthTime
	if held || j.Status.Finished() || young {
		return j, nil
	}
	j.Status = Lost
	j.Exit = Exit{Status: Lost, Reason: ReasonHolderDied, At: rec.Touched}
	if rec.Started && rec.State.BootID != e.here.boot {
		j.Exit.Reason = ReasonReboot
	}
	return j, nil
}

// virtualRun is one execution, of this program or another.
type virtualRun struct {
	e   *Engine
	id  ID
	dir string
}

var (
	_ Run            = (*virtualRun)(nil)
	_ Backgrounder   = (*virtualRun)(nil)
	_ Resizer        = (*virtualRun)(nil)
	_ KeySender      = (*virtualRun)(nil)
	_ ScreenReader   = (*virtualRun)(nil)
	_ TerminalOpener = (*virtualRun)(nil)
)

func (r *virtualRun) ID() ID { return r.id }

func (r *virtualRun) Wait(ctx context.Context) (Exit, error) {
	var exit Exit
	err := r.Watch(ctx, func(s State, _ Note) { exit = s.Exit })
	return exit, err
}

func (r *virtualRun) OpenOutput(_ context.Context, s Stream) (Output, error) {
	return openFileOutput(r.dir, s)
}

// ask sends one instruction to the program that performs the execution.
func (r *virtualRun) ask(ctx context.Context, t holder.Type, payload, result any) error {
	c, err := holder.Dial(ctx, r.dir)
	if err != nil {
		return errorOf(err)
	}
	defer c.Close()
	return errorOf(holder.Parted(r.dir, c.Do(ctx, t, payload, result)))
}

func (r *virtualRun) Signal(ctx context.Context, name, by string) error {
	return r.ask(ctx, holder.TypeSignal, holder.Signal{Name: name, By: by}, nil)
}

func (r *virtualRun) Stop(ctx context.Context, o StopOptions) (StopReport, error) {
	if x := r.e.execution(r.id); x != nil {
		return x.stop(ctx, o)
	}
	var report holder.KillReport
	k := holder.Kill{GraceMS: o.Grace.Milliseconds(), KeepDaemons: o.KeepDaemons, By: o.By, Reason: o.Reason}
	if o.Grace < 0 {
		k.GraceMS = -1
	}
	// The program answers within the grace time, unless it is stuck itself.
	ctx, cancel := stopContext(ctx, o.Grace, 2*hookTime)
	defer cancel()
	err := r.ask(ctx, holder.TypeKill, k, &report)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	return StopReport{Took: time.Duration(report.TookMS) * time.Millisecond, Escalated: report.Escalated}, err
}

func (r *virtualRun) Background(ctx context.Context) error {
	if x := r.e.execution(r.id); x != nil {
		return x.background(ctx)
	}
	return r.ask(ctx, holder.TypeBackground, nil, nil)
}

func (r *virtualRun) Watch(ctx context.Context, notify func(State, Note)) error {
	if x := r.e.execution(r.id); x != nil {
		return r.watchOwn(ctx, x, notify)
	}
	return r.watchOther(ctx, notify)
}

func (r *virtualRun) watchOwn(ctx context.Context, x *Execution, notify func(State, Note)) error {
	for {
		changed := x.watchChange()
		s := x.Job().State
		if ended := s.Status.Finished(); !ended || x.isOver() { // else the end is being recorded
			notify(s, Note{})
			if ended {
				return nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-x.done:
		case <-time.After(paceEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watchOther watches the execution of another process through its socket, or,
// where that cannot be reached, by looking at its files.
func (r *virtualRun) watchOther(ctx context.Context, notify func(State, Note)) error {
	for {
		j, err := r.e.lookVirtual(r.id, r.dir)
		if err != nil {
			return err
		}
		notify(j.State, Note{})
		if j.Status.Finished() {
			return nil
		}
		err = r.stream(ctx, notify)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		pause := latecomers
		if err == nil || errors.Is(err, holder.ErrNoHolder) {
			pause = retryFirst
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stream reads facts from the socket until the job ends or the connection does.
func (r *virtualRun) stream(ctx context.Context, notify func(State, Note)) error {
	c, err := holder.Dial(ctx, r.dir)
	if err != nil {
		return err
	}
	defer c.Close()
	rec, err := jobdir.Read(r.dir)
	if err != nil {
		return err
	}
	if err := c.Stream(ctx, holder.TypeSubscribe, nil); err != nil {
		return err
	}
	for {
		frame, err := c.Next(ctx)
		if err != nil {
			return err
		}
		switch frame.Type {
		case holder.TypeExit:
			return nil
		case holder.TypeFacts:
			var facts holder.Facts
			if err := json.Unmarshal(frame.Payload, &facts); err != nil {
				return fmt.Errorf("read what the holder says: %w", err)
			}
			rec.Output = facts.Output
			if facts.State != nil {
				rec.State, rec.Started = *facts.State, true
			}
			rec.State.Dropped = facts.Dropped
			j := r.e.jobOf(&rec)
			if j.Status.Finished() {
				return nil
			}
			j.Unrecorded = facts.Unrecorded
			notify(j.State, Note{})
		}
	}
}
