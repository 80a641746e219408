package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hobjobs/hob/internal/jobdir"
)

// open finds the run of a job. The errors are ErrNotFound, ErrElsewhere and
// ErrUnsupported where there is no backend for it.
func (e *Engine) open(ctx context.Context, op string, id ID) (Run, Job, error) {
	if e.isClosed() {
		return nil, Job{}, &Error{Op: op, Job: id, Err: ErrClosed}
	}
	rec, err := e.record(id)
	if err != nil {
		return nil, Job{}, err
	}
	j := e.jobOf(rec)
	if err := unasked(op, rec); err != nil {
		return nil, j, err
	}
	if j.Host == "" && !j.Status.Finished() && !e.here.judges(rec) {
		return nil, j, fault(op, j, ErrElsewhere)
	}
	b := e.backend(j.Backend)
	if b == nil {
		return nil, j, fault(op, j, fmt.Errorf("%w: this program has no backend %q", ErrUnsupported, j.Backend))
	}
	run, err := b.Open(ctx, Record{ID: id, Dir: e.root.Dir(rec.ID), Job: j})
	return run, j, fault(op, j, err)
}

// unasked is an error where it cannot be read just now what was asked of a job, and
// of whom.
func unasked(op string, rec *jobdir.Record) error {
	if rec.Unread == nil || rec.Unread.File != jobdir.MetaFile {
		return nil
	}
	return &Error{Op: op, Job: ID(rec.ID), Err: rec.Unread}
}

// running is open for a job that has not ended.
func (e *Engine) running(ctx context.Context, op string, id ID) (Run, Job, error) {
	run, j, err := e.open(ctx, op, id)
	if err == nil && j.Status.Finished() {
		err = fault(op, j, ErrNotRunning)
	}
	return run, j, err
}

// Write types p into the job, all of it or until ctx is done. What makes a line is
// in p: "\n", or "\r" as Enter sends it to a terminal. The errors are ErrNotRunning,
// ErrNoInput for a job that takes none or whose input has ended, and those of
// finding the job.
func (e *Engine) Write(ctx context.Context, id ID, p []byte) error {
	run, j, err := e.running(ctx, "write to", id)
	if err != nil {
		return err
	}
	return fault("write to", j, run.Write(ctx, p))
}

// CopyInput types all that in has into the job, as it comes, and returns at its end. It
// waits while a job on a host does not read. It may return with a read of in still under
// way, whose bytes are lost. The errors are those of in and of Write; which part was typed
// before one is not known.
func (e *Engine) CopyInput(ctx context.Context, id ID, in io.Reader) error {
	run, j, err := e.running(ctx, "write to", id)
	if err != nil {
		return err
	}
	if c, ok := run.(InputCopier); ok {
		return fault("write to", j, c.CopyInput(ctx, in))
	}
	_, err = io.Copy(typist{ctx, run}, in)
	return fault("write to", j, err)
}

// typist types what is written to it into a job.
type typist struct {
	ctx context.Context
	run Run
}

func (t typist) Write(p []byte) (int, error) {
	if err := t.run.Write(t.ctx, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseInput ends the job's input: of a pipe, and of a terminal that is input
// alone (Spec.TTYStdin), for good; of a job's whole terminal it is what Ctrl+D is,
// for the program that reads now. The errors are those of Write.
func (e *Engine) CloseInput(ctx context.Context, id ID) error {
	run, j, err := e.running(ctx, "close the input of", id)
	if err != nil {
		return err
	}
	return fault("close the input of", j, run.CloseInput(ctx))
}

// SendKeys types keys by their tmux names ("C-c", "Up", "Enter", "x"), encoded as
// the job's modes ask; a word that is no name is typed as it is. Enter ends a line
// also where no terminal turns it into the end of one. ErrInvalid names a word that
// has a modifier and no key behind it; then nothing was typed. ErrUnsupported for a
// job that takes no keys.
func (e *Engine) SendKeys(ctx context.Context, id ID, keys []string) error {
	return withAbility(ctx, e, "send keys to", id, func(r KeySender, j Job) error {
		if j.Kind == KindFile && j.Size == (Size{}) { // not even its input is a terminal
			keys = slices.Clone(keys)
			for i, k := range keys {
				if strings.EqualFold(k, "Enter") {
					keys[i] = "C-j"
				}
			}
		}
		return r.SendKeys(ctx, keys)
	})
}

// Paste types p as a paste, bracketed if the job asked for that.
func (e *Engine) Paste(ctx context.Context, id ID, p []byte) error {
	return withAbility(ctx, e, "paste to", id, func(r KeySender, _ Job) error { return r.Paste(ctx, p) })
}

// Resize gives the job's terminal another size. ErrInvalid for one outside of 1 to
// 4096, ErrNotControl while somebody is attached, whose size it is, ErrUnsupported
// for a job without a terminal.
func (e *Engine) Resize(ctx context.Context, id ID, s Size) error {
	if s.Cols < 1 || s.Rows < 1 || s.Cols > maxCells || s.Rows > maxCells {
		return invalid("resize", fmt.Sprintf("a screen of %dx%d", s.Cols, s.Rows), "both sides are from 1 to 4096")
	}
	return withAbility(ctx, e, "resize", id, func(r Resizer, _ Job) error { return r.Resize(ctx, s) })
}

// Entry says what is to be seen of what is typed into the job's terminal now. Of a
// job of this machine [Job] has it; a host is asked.
func (e *Engine) Entry(ctx context.Context, id ID) (entry Entry, err error) {
	run, j, err := e.running(ctx, "look at the terminal of", id)
	if err != nil {
		return EntryUnknown, err
	}
	if r, ok := run.(EntryReader); ok {
		entry, err = r.Entry(ctx)
		return entry, fault("look at the terminal of", j, err)
	}
	j, err = e.read(ctx, id)
	return j.Entry, err
}

// withAbility calls f with the run of a running job if that has the ability T, and
// the job.
func withAbility[T any](ctx context.Context, e *Engine, op string, id ID, f func(T, Job) error) error {
	run, j, err := e.running(ctx, op, id)
	if err != nil {
		return err
	}
	able, ok := run.(T)
	if !ok {
		return fault(op, j, ErrUnsupported)
	}
	return fault(op, j, f(able, j))
}

// Screen is the job's screen now, or its last one if it has ended. ErrUnsupported
// for a job without a terminal.
func (e *Engine) Screen(ctx context.Context, id ID) (Screen, error) {
	run, j, err := e.open(ctx, "show the screen of", id)
	if err != nil {
		return Screen{}, err
	}
	r, ok := run.(ScreenReader)
	if !ok {
		return Screen{}, fault("show the screen of", j, ErrUnsupported)
	}
	s, err := r.Screen(ctx)
	return s, fault("show the screen of", j, err)
}

// OpenTerminal opens a live session with the job's terminal. ErrUnsupported for
// a job without one.
func (e *Engine) OpenTerminal(ctx context.Context, id ID, o TerminalOptions) (Terminal, error) {
	run, j, err := e.open(ctx, "attach to", id)
	if err != nil {
		return nil, err
	}
	r, ok := run.(TerminalOpener)
	if !ok {
		return nil, fault("attach to", j, ErrUnsupported)
	}
	t, err := r.OpenTerminal(ctx, o)
	return t, fault("attach to", j, err)
}

// Signal sends one signal, by name ("SIGHUP" or "HUP"), to the job's foreground
// and group, and does not wait for what it does. ErrInvalid for an unknown name,
// ErrNotRunning if the job has ended.
func (e *Engine) Signal(ctx context.Context, id ID, name string) error {
	run, j, err := e.running(ctx, "signal", id)
	if err != nil {
		return err
	}
	return fault("signal", j, run.Signal(ctx, name, e.cfg.client))
}

// Stop ends the job's whole tree and returns when it is gone and its end is
// recorded. Of a job that ended by itself it ends what that left running, and is
// ErrNotRunning if nothing was, and ErrElsewhere if that is not for this machine to
// find out; of one that was killed it does nothing.
func (e *Engine) Stop(ctx context.Context, id ID, o StopOptions) (StopReport, error) {
	run, j, err := e.open(ctx, "stop", id)
	if err != nil {
		return StopReport{}, err
	}
	if len(j.Exit.Survivors) > 0 && j.Host == "" {
		if rec, err := e.record(id); err == nil && !e.here.judges(rec) {
			return StopReport{}, fault("stop", j, ErrElsewhere)
		}
	}
	if o.By == "" {
		o.By = e.cfg.client
	}
	if o.Reason == "" {
		o.Reason = ReasonKill
	}
	report, err := run.Stop(ctx, o)
	if len(j.Exit.Survivors) > 0 && (err == nil || errors.Is(err, ErrNotRunning)) {
		e.recordLeft(id, report.Survivors)
	}
	// The second kill of the same job, or one that came in between.
	if errors.Is(err, ErrNotRunning) {
		if now, readErr := e.read(ctx, id); readErr == nil && now.Status == Killed {
			return StopReport{}, nil
		}
	}
	e.changed()
	return report, fault("stop", j, err)
}

// recordLeft records what is left of the tree of a job that had ended before it was
// stopped, unless its holder does, which then has the lock.
func (e *Engine) recordLeft(id ID, left []Process) {
	dir := e.root.Dir(string(id))
	lock, err := jobdir.Lock(dir)
	if err != nil {
		return
	}
	defer lock.Close()
	rec, err := jobdir.Read(dir)
	if err != nil || !rec.State.Exit.Known() {
		return
	}
	rec.State.Exit.Survivors = left
	if err := jobdir.WriteState(dir, &rec.State); err != nil {
		e.log.Warn("what is left of a job cannot be recorded", "job", id, "err", err)
		return
	}
	if err := e.root.AddToIndex(&rec); err != nil { // the last line of a job holds
		e.log.Debug("the index cannot be written", "err", err)
	}
}

// Kill is Stop without a grace time.
func (e *Engine) Kill(ctx context.Context, id ID) (StopReport, error) {
	return e.Stop(ctx, id, StopOptions{Grace: -1})
}

// IsActive reports whether the job has not ended. For an execution of this
// program it asks that; for another one it is what [Engine.Get] would say.
func (e *Engine) IsActive(id ID) bool {
	e.mu.Lock()
	x := e.execs[id]
	e.mu.Unlock()
	if x != nil {
		return x.active()
	}
	ctx, cancel := context.WithTimeout(e.life, activeTimeout)
	defer cancel()
	rec, err := e.record(id)
	if err != nil || rec.Finished() {
		return false
	}
	j, err := e.read(ctx, id)
	if err != nil {
		return !errors.Is(err, ErrNotFound) // else it was removed since
	}
	return !j.Status.Finished()
}
