package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Intent says what a reference is resolved for.
type Intent int

// The intents.
const (
	Read Intent = iota // reads or restarts: of a shared name the newest job when none runs
	Act                // acts: of a shared name only the one that runs
)

// Get finds the job that ref means, for reading or restarting; see
// [Engine.Resolve]. It also says what the job uses, see [Engine.Measure].
func (e *Engine) Get(ctx context.Context, ref string) (Job, error) {
	j, err := e.Resolve(ctx, ref, Read)
	if err != nil {
		return j, err
	}
	if exit, ok := j.Ended(); ok {
		e.recorded(ctx, j.ID, exit)
	}
	return e.measured([]Job{j}, true)[0], nil
}

// GetWithTrash is Get of one job by its id, which may have been cleared since, by
// this program or another: then the job is returned as it ended, as long as it is in
// the trash. Its output cannot be read there. ErrNotFound if it is in neither place.
func (e *Engine) GetWithTrash(ctx context.Context, id ID) (Job, error) {
	j, err := e.Get(ctx, string(id))
	if err == nil && j.ID == id || err != nil && !errors.Is(err, ErrNotFound) {
		return j, err
	}
	rec, err := e.recordAnywhere(id)
	if err != nil {
		return Job{}, err
	}
	return e.jobOf(rec), nil
}

// Resolve finds the job that ref means: an id, a name, a unique prefix of an id,
// "@" for the newest job, "@2" for the one before. An exact id wins over a name,
// a name over a prefix. A name may be given as it was asked for, though it is kept
// in one line and shortened. The errors are ErrNotFound and *[AmbiguousError].
func (e *Engine) Resolve(ctx context.Context, ref string, in Intent) (Job, error) {
	if ref == "" {
		return Job{}, invalid("find", "an empty name", "give an id, a name, or @ for the newest job")
	}
	if n, ok := nthNewest(ref); ok {
		return e.newest(ctx, ref, n)
	}
	if jobdir.ValidID(ref) {
		if j, err := e.read(ctx, ID(ref)); err == nil || ctx.Err() != nil {
			return j, err
		}
	}
	ids, err := e.ids(ctx)
	if err != nil {
		return Job{}, err
	}
	meant := func(j *Job) bool { return named(j, ref) || prefixed(j, ref) }
	jobs, err := e.list(ctx, ids, meant, meant)
	if err != nil {
		return Job{}, err
	}
	return pick(jobs, ref, in)
}

// Choose is [Engine.Resolve] among jobs, which are newest first.
func Choose(jobs []Job, ref string, in Intent) (Job, error) {
	if n, ok := nthNewest(ref); ok {
		if n > len(jobs) {
			return Job{}, notFound(ref)
		}
		return jobs[n-1], nil
	}
	if n := slices.IndexFunc(jobs, func(j Job) bool { return string(j.ID) == ref }); n >= 0 {
		return jobs[n], nil
	}
	return pick(jobs, ref, in)
}

func named(j *Job, ref string) bool { return j.Name == ref || j.Name == clipName(ref) }

func prefixed(j *Job, ref string) bool { return strings.HasPrefix(string(j.ID), ref) }

// pick chooses among jobs, newest first.
func pick(jobs []Job, ref string, in Intent) (Job, error) {
	of := slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return !named(&j, ref) })
	if len(of) == 0 {
		of = slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return !prefixed(&j, ref) })
		switch len(of) {
		case 0:
			return Job{}, notFound(ref)
		case 1:
			return of[0], nil
		}
		return Job{}, &AmbiguousError{Ref: ref, Candidates: of}
	}
	running := slices.DeleteFunc(slices.Clone(of), func(j Job) bool { return j.Status.Finished() })
	switch {
	case len(running) == 1:
		return running[0], nil
	case len(running) > 1:
		return Job{}, &AmbiguousError{Ref: ref, Candidates: running}
	case len(of) == 1 || in == Read:
		return of[0], nil
	}
	return Job{}, &AmbiguousError{Ref: ref, Candidates: of}
}

// nthNewest reads "@" and "@N", N from 1.
func nthNewest(ref string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(ref, "@")
	if !ok {
		return 0, false
	}
	if digits == "" {
		return 1, true
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n > 0
}

// newest is the nth newest job. How the others stand is not asked.
func (e *Engine) newest(ctx context.Context, ref string, n int) (Job, error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return Job{}, err
	}
	jobs := make([]Job, 0, len(ids))
	e.survey(ids, func(j *Job, _ *jobdir.Record) { jobs = append(jobs, *j) })
	if n > len(jobs) {
		return Job{}, notFound(ref)
	}
	return e.read(ctx, newestFirst(jobs)[n-1].ID)
}

// byToken finds the job that was started with token. Only how that one stands is
// asked: the others may be on hosts that take long to answer, or never do.
func (e *Engine) byToken(ctx context.Context, token string) (j Job, ok bool, err error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return Job{}, false, err
	}
	var id ID
	e.survey(ids, func(j *Job, _ *jobdir.Record) {
		if j.Token == token {
			id = j.ID
		}
	})
	if id == "" {
		return Job{}, false, nil
	}
	j, err = e.read(ctx, id)
	return j, err == nil, err
}
