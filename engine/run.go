package engine

import (
	"context"
	"errors"
	"math"
	"time"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/logfile"
)

const (
	defaultMaxOutput = 1 << 20
	tailLength       = 2000 // characters of Result.Tail
	// tailBytes is enough bytes for tailLength characters, with a partial character at either end.
	tailBytes = (tailLength + 2) * utf8.UTFMax
	// stopMargin is how much longer than its grace period a job may take to end, if it is stopped because
	// its caller gave up, or if it must end before its process is started again.
	stopMargin = 10 * time.Second
)

// Run starts a job and waits until it ends or is sent to the background, by [Handle.Background] or
// after YieldAfter. If ctx is done before that, Run stops the job and returns ctx's error; once the
// job is in the background, ctx no longer matters. A command that fails is not an error.
func (e *Engine) Run(ctx context.Context, spec Spec, o RunOptions) (Result, error) {
	j, err := e.Start(ctx, spec, o.Start...)
	if err != nil {
		return Result{}, err
	}
	if _, release, err := e.Handle(j.ID).follow(ctx); err == nil { // before Background may be called
		defer release()
	}
	if o.OnStart != nil {
		o.OnStart(j.ID)
	}
	now, err := e.Handle(j.ID).awaitBackground(ctx, o.YieldAfter)
	switch {
	case err == nil && now.Status.Finished():
		return e.Handle(now.ID).finishedResult(ctx, now, o.MaxOutput)
	case err == nil:
		return e.backgroundResult(ctx, now)
	case ctx.Err() != nil:
		return e.stopAbandoned(ctx, j, o.MaxOutput)
	}
	return Result{Job: j}, err
}

// awaitBackground waits until the job has ended or is in the background. It sends the job there after
// yield, unless that is 0.
func (h *Handle) awaitBackground(ctx context.Context, yield time.Duration) (Job, error) {
	foreground, cancel := ctx, func() {}
	if yield > 0 {
		foreground, cancel = context.WithTimeout(ctx, yield)
	}
	defer cancel()
	inBackground := func(j Job) bool { return j.Backgrounded }
	j, err := h.waitUntil(foreground, nil, inBackground)
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return j, err
	}
	err = h.Background()
	if errors.Is(err, ErrNotRunning) {
		return h.waitUntil(ctx, nil, inBackground)
	}
	j.Backgrounded = true
	return j, err
}

// stopAbandoned stops a job that its caller no longer waits for.
func (e *Engine) stopAbandoned(ctx context.Context, j Job, most int) (Result, error) {
	cause := ctx.Err()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), j.Grace.Duration()+stopMargin)
	defer cancel()
	if _, err := e.Handle(j.ID).Stop(ctx, StopOptions{}); err != nil && !errors.Is(err, ErrNotRunning) {
		return Result{Job: j}, errors.Join(cause, err)
	}
	if now, err := e.read(ctx, j.ID); err == nil {
		j = now
	}
	r, err := e.Handle(j.ID).finishedResult(ctx, j, most)
	return r, errors.Join(cause, err)
}

// finishedResult returns the result for a job that has ended.
func (h *Handle) finishedResult(ctx context.Context, j Job, most int) (Result, error) {
	if most <= 0 {
		most = defaultMaxOutput
	}
	r := Result{Job: j}
	for _, s := range j.Streams() {
		p, cut, err := h.tail(ctx, s, most-len(r.Output))
		if err != nil {
			return r, opError("read the output of", j, err)
		}
		r.Output = append(r.Output, p...)
		if cut {
			r.Truncated = true
		}
	}
	r.Cursor = j.Output
	return r, nil
}

// backgroundResult returns the result for a job that keeps running. An error reading its output is
// logged, not returned.
func (e *Engine) backgroundResult(ctx context.Context, j Job) (Result, error) {
	r := Result{Job: j, Backgrounded: true}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), activeTimeout)
	defer cancel()
	p, err := e.Handle(j.ID).recentOutput(ctx)
	if err != nil {
		e.log.Debug("cannot read the tail of a job", "job", j.ID, "err", err)
	}
	if p.Job.ID != "" {
		r.Job = p.Job
		r.Job.Backgrounded = true
	}
	r.Tail, r.Cursor = logfile.LastRunes(string(p.Output), tailLength), p.Cursor
	return r, nil
}

// recentOutput returns what a poll would return to a client that has seen all but the last part.
func (h *Handle) recentOutput(ctx context.Context) (Poll, error) {
	p, err := h.drain(ctx, math.MaxInt64, false)
	if err != nil {
		return p, err
	}
	from := max(0, p.Cursor-tailBytes)
	p, err = h.drain(ctx, from, false)
	if from > 0 {
		p.Output = p.Output[logfile.ContinuationPrefix(p.Output):]
	}
	return p, err
}
