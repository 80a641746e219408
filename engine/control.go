package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/jobdir"
)

// open returns the run of a job. It returns ErrNotFound, ErrElsewhere, or ErrUnsupported if there
// is no backend for it.
func (h *Handle) open(ctx context.Context, op string) (Run, Job, error) {
	if h.e.isClosed() {
		return nil, Job{}, &Error{Op: op, Job: h.id, Err: ErrClosed}
	}
	rec, err := h.e.record(h.id)
	if err != nil {
		return nil, Job{}, err
	}
	j := h.e.jobOf(rec)
	if err := checkReadable(op, rec); err != nil {
		return nil, j, err
	}
	if !j.Status.Finished() && !h.e.canJudge(rec) {
		return nil, j, opError(op, j, ErrElsewhere)
	}
	b := h.e.backend(j.Backend)
	if b == nil {
		return nil, j, opError(op, j, fmt.Errorf("%w: this program has no backend %q", ErrUnsupported, j.Backend))
	}
	run, err := b.Open(ctx, Record{
		ID:  h.id,
		Dir: h.e.root.Dir(rec.ID),
		Job: j,
	})
	return run, j, opError(op, j, err)
}

// checkReadable returns an error if the job's request, and with it its backend and host, cannot be
// read now.
func checkReadable(op string, rec *jobdir.Record) error {
	if rec.ReadErr == nil || rec.ReadErr.File != jobdir.MetaFile {
		return nil
	}
	return &Error{Op: op, Job: ID(rec.ID), Err: rec.ReadErr}
}

// running is like open, for a job that has not ended.
func (h *Handle) running(ctx context.Context, op string) (Run, Job, error) {
	run, j, err := h.open(ctx, op)
	if err == nil && j.Status.Finished() {
		err = opError(op, j, ErrNotRunning)
	}
	return run, j, err
}

// begun is like running, for a job that has started.
func (h *Handle) begun(ctx context.Context, op string) (Run, Job, error) {
	run, j, err := h.running(ctx, op)
	if err == nil {
		err = notBegun(op, j)
	}
	return run, j, err
}

// notBegun returns an error if the job is queued and has never run.
func notBegun(op string, j Job) error {
	queuedHere := j.Status == Queued && !hostname.OnCluster(j.Host)
	if queuedHere && j.StartedAt.IsZero() {
		return opError(op, j, ErrNotStarted)
	}
	return nil
}

// Write types p into the job, all of it or until ctx is done. The caller includes line endings:
// "\n", or "\r" as Enter sends it to a terminal. Write returns ErrNotRunning, ErrNoInput for a job
// that has no input or whose input has ended, or an error from finding the job.
func (h *Handle) Write(ctx context.Context, p []byte) error {
	return h.act(ctx, "write to", func(run Run, _ Job) error { return run.Write(ctx, p) })
}

// CopyInput types everything read from in into the job, as it arrives, and returns at its end. It waits
// until a queued job starts, and blocks while a job on a host does not read. It may return while a
// read of in is still in progress; the bytes of that read are lost. The errors are those of in and of
// Write; after an error, it is not known how much was typed.
func (h *Handle) CopyInput(ctx context.Context, in io.Reader) error {
	run, j, err := h.begun(ctx, "write to")
	if err != nil && j.Status == Queued {
		if _, err := h.waitUntil(ctx, nil, func(j Job) bool { return j.Status != Queued }); err != nil {
			return err
		}
		run, j, err = h.begun(ctx, "write to")
	}
	if err != nil {
		return err
	}
	if c, ok := run.(InputCopier); ok {
		return opError("write to", j, c.CopyInput(ctx, in))
	}
	_, err = io.Copy(writerFunc(func(p []byte) (int, error) {
		if err := run.Write(ctx, p); err != nil {
			return 0, err
		}
		return len(p), nil
	}), in)
	return opError("write to", j, err)
}

// writerFunc is a function as an io.Writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// CloseInput ends the job's input. A pipe, or a terminal that is input only (Spec.TTYStdin), is
// closed permanently; for a job with a whole terminal, CloseInput acts as Ctrl+D does, on the
// program that reads now. The errors are those of Write.
func (h *Handle) CloseInput(ctx context.Context) error {
	return h.act(ctx, "close the input of", func(run Run, _ Job) error { return run.CloseInput(ctx) })
}

// SendKeys types keys by their tmux names ("C-c", "Up", "Enter", "x"), encoded for the modes that
// the job has set. A string that is not a key name is typed literally. Enter ends the line even
// where no terminal translates it. SendKeys returns ErrInvalid for a modifier without a key, in
// which case nothing was typed, and ErrUnsupported for a job that accepts no keys.
func (h *Handle) SendKeys(ctx context.Context, keys []string) error {
	return h.act(ctx, "send keys to", func(run Run, j Job) error {
		if j.Kind == KindFile && j.Size == (Size{}) { // its stdin is not a terminal either
			keys = slices.Clone(keys)
			for i, k := range keys {
				if strings.EqualFold(k, "Enter") {
					keys[i] = "C-j"
				}
			}
		}
		return run.SendKeys(ctx, keys)
	})
}

// Paste types p as a paste, bracketed if the job has enabled that.
func (h *Handle) Paste(ctx context.Context, p []byte) error {
	return h.act(ctx, "paste to", func(run Run, _ Job) error { return run.Paste(ctx, p) })
}

// Resize resizes the job's terminal. It returns ErrInvalid for a size outside of 1 to 4096,
// ErrNotControl while a client is attached, which then sets the size, and ErrUnsupported for a job
// without a terminal.
func (h *Handle) Resize(ctx context.Context, s Size) error {
	if !isScreen(s) {
		return invalid("resize", fmt.Sprintf("a screen of %dx%d", s.Cols, s.Rows), "both dimensions must be from 1 to 4096")
	}
	return h.act(ctx, "resize", func(run Run, _ Job) error { return run.Resize(ctx, s) })
}

// Entry reports whether the job's terminal shows what is typed into it now. For a job of this machine,
// [State].Entry has the same; for a job on a host, Entry asks the host.
func (h *Handle) Entry(ctx context.Context) (entry Entry, err error) {
	run, j, err := h.begun(ctx, "inspect the terminal of")
	if err != nil {
		return EntryUnknown, err
	}
	if r, ok := run.(EntryReader); ok {
		entry, err = r.Entry(ctx)
		return entry, opError("inspect the terminal of", j, err)
	}
	j, err = h.e.read(ctx, h.id)
	return j.Entry, err
}

// act calls do with a job that has started and has not ended, and its run.
func (h *Handle) act(ctx context.Context, op string, do func(Run, Job) error) error {
	run, j, err := h.begun(ctx, op)
	if err != nil {
		return err
	}
	return opError(op, j, do(run, j))
}

// Screen returns the job's current screen, or its last one if it has ended. It returns
// ErrUnsupported for a job without a terminal.
func (h *Handle) Screen(ctx context.Context) (Screen, error) {
	run, j, err := h.open(ctx, "show the screen of")
	if err == nil {
		err = notBegun("show the screen of", j)
	}
	if err != nil {
		return Screen{}, err
	}
	s, err := run.Screen(ctx)
	return s, opError("show the screen of", j, err)
}

// Terminal opens a live session with the job's terminal. It returns ErrUnsupported for a job
// without one. The session of a job that has not begun shows why it waits, until it begins.
func (h *Handle) Terminal(ctx context.Context, o TerminalOptions) (Terminal, error) {
	run, j, err := h.open(ctx, "attach to")
	if err != nil {
		return nil, err
	}
	if opensLater(&j) {
		return h.e.openLater(ctx, run, j, o), nil
	}
	t, err := run.OpenTerminal(ctx, o)
	return t, opError("attach to", j, err)
}

// Signal sends one signal, by name ("SIGHUP" or "HUP"), to the job's foreground process group and
// its own, and does not wait for its effect. It returns ErrInvalid for an unknown name and
// ErrNotRunning if the job has ended.
func (h *Handle) Signal(ctx context.Context, name string) error {
	return h.act(ctx, "signal", func(run Run, _ Job) error { return run.Signal(ctx, name, h.e.cfg.client) })
}

// Stop ends the job's whole process tree and returns when it is gone and the end is recorded. For a
// job that ended by itself, it ends the survivors; it returns ErrNotRunning if there are none, and
// ErrElsewhere if this machine cannot determine that. For a job that was already killed it does
// nothing.
func (h *Handle) Stop(ctx context.Context, o StopOptions) (StopReport, error) {
	run, j, err := h.open(ctx, "stop")
	if err != nil {
		return StopReport{}, err
	}
	if len(j.Exit.Survivors) > 0 {
		if rec, err := h.e.record(h.id); err == nil && !h.e.canJudge(rec) {
			return StopReport{}, opError("stop", j, ErrElsewhere)
		}
	}
	o.By = cmp.Or(o.By, h.e.cfg.client)
	o.Reason = cmp.Or(o.Reason, ReasonKill)
	report, err := run.Stop(ctx, o)
	if err == nil || errors.Is(err, ErrNotRunning) {
		h.recordSurvivors(j, report.Survivors)
	}
	// A concurrent kill of the same job may already have ended it.
	if errors.Is(err, ErrNotRunning) {
		if now, readErr := h.e.read(ctx, h.id); readErr == nil && now.Status == Killed {
			return StopReport{}, nil
		}
	}
	h.e.changed()
	return report, opError("stop", j, err)
}

// StopAll stops jobs as [Handle.Stop] does, in parallel. Those in queues are stopped before the others,
// because the end of a job may start the next one of its queue. A process of a project is stopped after those of
// jobs that use it, unless all are killed at once. stopped is called with the result for jobs[i] as soon as it is
// known, for several jobs at the same time.
func (e *Engine) StopAll(ctx context.Context, jobs []Job, o StopOptions, stopped func(i int, r StopReport, err error)) {
	for _, level := range stopLevels(jobs, o.Grace == KillNow) {
		var work sync.WaitGroup
		for _, i := range level {
			work.Go(func() {
				r, err := e.Handle(jobs[i].ID).Stop(ctx, o)
				stopped(i, r, err)
			})
		}
		work.Wait()
	}
}

// recordSurvivors records what remains of the process tree of a job that had ended before it was
// stopped. If a holder is running, it has the lock and does this itself.
func (h *Handle) recordSurvivors(j Job, left []Process) {
	if len(j.Exit.Survivors) == 0 {
		return
	}
	dir := h.e.root.Dir(string(h.id))
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
		h.e.log.Warn("cannot record survivors", "job", h.id, "err", err)
		return
	}
	if err := h.e.root.AddToIndex(&rec); err != nil { // the index uses the last line of a job
		h.e.log.Debug("cannot write the index", "err", err)
	}
}

// Type types p into a session. The session needs control for that: Type takes it first, with the
// caller's size, unless has is set, and again if another session has taken it since. The job's terminal keeps
// its size if that of the caller is zero, or if it cannot be changed.
func Type(ctx context.Context, t Terminal, has bool, size Size, p []byte) error {
	if has {
		if err := t.Write(ctx, p); !errors.Is(err, ErrNotControl) {
			return err
		}
	}
	if err := t.TakeControl(ctx); err != nil {
		return err
	}
	if isSize := min(size.Cols, size.Rows) > 0; isSize {
		if err := t.Resize(ctx, size); err != nil && !errors.Is(err, ErrUnsupported) {
			return err
		}
	}
	return t.Write(ctx, p)
}
