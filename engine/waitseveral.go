package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// WaitFor returns when one of the conditions holds for the job, or when the job has ended and all its lines
// were checked. With no condition, it waits for the end. It keeps waiting while a host cannot be reached. The
// errors are those of [Handle.Wait], those of reading a log, and ErrUnsupported for the port of a job on a
// host without hob-holder; an error of one condition ends the wait. A job in the trash has ended; its lines are
// not checked.
func (h *Handle) WaitFor(ctx context.Context, conditions ...Condition) (Outcome, error) {
	switch len(conditions) {
	case 0:
		return h.waitForOne(ctx, Condition{})
	case 1:
		return h.waitForOne(ctx, conditions[0])
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	outcomes, errs := make([]Outcome, len(conditions)), make([]error, len(conditions))
	var work sync.WaitGroup
	for i, c := range conditions {
		work.Go(func() {
			outcomes[i], errs[i] = h.waitForOne(waiting, c)
			outcomes[i].Held = i
			if !outcomes[i].atEnd() {
				cancel()
			}
		})
	}
	work.Wait()
	return firstHeld(outcomes, errs)
}

// atEnd reports whether the job's end decided the outcome. Then the end decides the other conditions too, and one of
// them may be more specific: a job that has ended is quiet, and may have printed the line before that.
func (o Outcome) atEnd() bool { return o.Exit.Status.Finished() }

// firstHeld returns the outcome of the condition that held first. If the job ended before, that is the first of
// those that hold for a job that has ended, else none.
func firstHeld(outcomes []Outcome, errs []error) (Outcome, error) {
	met := func(o Outcome) bool { return o.Met }
	before := func(o Outcome) bool { return o.Met && !o.atEnd() }
	i := slices.IndexFunc(outcomes, before)
	if i < 0 {
		i = slices.IndexFunc(outcomes, met)
	}
	if i >= 0 {
		return outcomes[i], errs[i]
	}
	// After one has failed, the others were canceled.
	failed := slices.IndexFunc(errs, func(err error) bool { return err != nil && !errors.Is(err, context.Canceled) })
	if failed >= 0 {
		return Outcome{Exit: outcomes[failed].Exit}, errs[failed]
	}
	return Outcome{Exit: outcomes[0].Exit}, errs[0]
}
