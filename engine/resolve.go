package engine

import (
	"context"
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
	return e.measured([]Job{j}, true)[0], nil
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
	jobs, err := e.List(ctx, Filter{})
	if err != nil {
		return Job{}, err
	}
	return pick(jobs, ref, in)
}

// pick chooses among all jobs, newest first.
func pick(jobs []Job, ref string, in Intent) (Job, error) {
	kept := clipName(ref)
	named := slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return j.Name != ref && j.Name != kept })
	if len(named) == 0 {
		named = slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return !strings.HasPrefix(string(j.ID), ref) })
		switch len(named) {
		case 0:
			return Job{}, notFound(ref)
		case 1:
			return named[0], nil
		}
		return Job{}, &AmbiguousError{Ref: ref, Candidates: named}
	}
	running := slices.DeleteFunc(slices.Clone(named), func(j Job) bool { return j.Status.Finished() })
	switch {
	case len(running) == 1:
		return running[0], nil
	case len(running) > 1:
		return Job{}, &AmbiguousError{Ref: ref, Candidates: running}
	case len(named) == 1 || in == Read:
		return named[0], nil
	}
	return Job{}, &AmbiguousError{Ref: ref, Candidates: named}
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

func (e *Engine) newest(ctx context.Context, ref string, n int) (Job, error) {
	jobs, err := e.List(ctx, Filter{})
	if err != nil {
		return Job{}, err
	}
	if n > len(jobs) {
		return Job{}, notFound(ref)
	}
	return jobs[n-1], nil
}
