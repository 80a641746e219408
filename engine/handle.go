package engine

import (
	"context"
	"errors"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Handle is one job, to look at it and to act on it. It has the job's id and nothing else: it need not
// be closed, and it stays valid when the job ends. Its methods return ErrNotFound for a job that does
// not exist, ErrElsewhere for a job of another machine, ErrUnsupported for what the job cannot do, and
// ErrClosed after [Engine.Close].
type Handle struct {
	e  *Engine
	id ID
}

// Handle returns the handle of the job with that id. It reads nothing, and so it cannot fail: methods
// of the handle report that there is no such job.
func (e *Engine) Handle(id ID) *Handle { return &Handle{e, id} }

// Job returns the handle of the job that ref refers to, as for [Engine.Find] with [Read]. For a
// complete id it reads only the records of that job, and it does not ask a host.
func (e *Engine) Job(ctx context.Context, ref string) (*Handle, error) {
	if jobdir.ValidID(ref) && !e.isClosed() {
		if _, err := e.record(ID(ref)); err == nil {
			return e.Handle(ID(ref)), nil
		}
	}
	j, err := e.Find(ctx, ref, Read)
	if err != nil {
		return nil, err
	}
	return e.Handle(j.ID), nil
}

// ID returns the job's id.
func (h *Handle) ID() ID { return h.id }

// Facts returns the job as it is now, with NotifyFailed and without its usage: [Engine.MeasureAll] adds that.
func (h *Handle) Facts(ctx context.Context) (Job, error) {
	j, err := h.e.look(ctx, h.id, true)
	if err != nil {
		return j, err
	}
	if exit, ok := j.Ended(); ok {
		h.waitRecorded(ctx, exit)
	}
	j.NotifyFailed = h.notifyFailed(ctx, &j)
	return j, nil
}

// notifyFailed returns how the command of [notify] last failed for the job j; nil also if that cannot be read.
func (h *Handle) notifyFailed(ctx context.Context, j *Job) *NotifyFailure {
	failed := jobdir.NotifyFailure(h.e.root.Dir(string(h.id)))
	if failed != nil || !j.Notifies {
		return failed
	}
	run, _, err := h.open(ctx, "look at")
	if err != nil {
		return nil
	}
	if r, ok := run.(NotifyReader); ok {
		failed, err = r.NotifyFailure(ctx)
		if err != nil {
			h.e.log.Debug("it is not known whether a notification failed", "job", h.id, "err", err)
		}
	}
	return failed
}

// LastFacts is like Facts and also finds a job that was removed, by this program or another, as long as
// it is in the trash: as it ended. Its output cannot be read then.
func (h *Handle) LastFacts(ctx context.Context) (Job, error) {
	j, err := h.Facts(ctx)
	if !errors.Is(err, ErrNotFound) {
		return j, err
	}
	rec, err := h.e.recordAnywhere(h.id)
	if err != nil {
		return Job{}, err
	}
	return h.e.jobOf(rec), nil
}
