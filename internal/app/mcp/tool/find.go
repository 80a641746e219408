package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/app/within"
)

// find returns the job for ref: an id, a name, a unique prefix, or @ for the newest. It finds
// jobs outside of the scope only if all is set.
func (t *Tools) find(ctx context.Context, ref string, all bool, in engine.Intent) (j engine.Job, err error) {
	switch {
	case ref == "":
		err = engine.ErrNotFound
	case all:
		j, err = t.findAny(ctx, ref, in)
	default:
		j, err = t.findOwn(ctx, ref, in)
	}
	switch {
	case err == nil, ctx.Err() != nil:
		return j, err
	case errors.Is(err, engine.ErrNotFound):
		// An agent refers to a wait by its task's id.
		if id, wait := SplitTaskID(ref); wait != "" {
			return t.find(ctx, id, all, in)
		}
		return j, t.unknown(ctx, ref, all)
	}
	return j, General(err)
}

// findAny is [engine.Engine.Find], but a name means first a job of the agent's directory, as on the command line.
func (t *Tools) findAny(ctx context.Context, ref string, in engine.Intent) (engine.Job, error) {
	j, err := t.Eng.Find(ctx, ref, in)
	if err == nil && string(j.ID) == ref || errors.Is(err, engine.ErrNotFound) {
		return j, err
	}
	jobs, listed := t.Eng.List(ctx, engine.Filter{Unverified: true})
	if listed != nil {
		return j, listed
	}
	if here := within.Nearest(within.Named(jobs, ref), t.Scope.Project); len(here) > 0 {
		return engine.Choose(here, ref, in)
	}
	return j, err
}

func (t *Tools) findOwn(ctx context.Context, ref string, in engine.Intent) (engine.Job, error) {
	if j, err := t.Eng.Handle(engine.ID(ref)).Facts(ctx); err == nil && t.Scope.Owns(j) {
		return j, nil
	}
	jobs, err := t.Eng.List(ctx, t.Scope.Filter(false))
	if err != nil {
		return engine.Job{}, err
	}
	return engine.Choose(jobs, ref, in)
}

// unknown returns the failure of a reference without a job in the scope. It does not reveal
// whether a job outside of the scope has that id.
func (t *Tools) unknown(ctx context.Context, ref string, all bool) error {
	f := &Failure{code: "not_found", id: engine.ID(ref)}
	f.Message = fmt.Sprintf("no job %q here", plain.OneLine(ref, 80))
	if ref == "" {
		f.code, f.Message = "usage", "missing sessionId"
	}
	jobs, err := t.Eng.List(ctx, t.Scope.Filter(all))
	switch {
	case err != nil, len(jobs) == 0 && all:
		f.Hint = "there are no jobs; bash starts one"
	case len(jobs) == 0:
		f.Hint = `you have no jobs in this project; bash starts one, process {"action":"list","all":true} shows those of others`
	default:
		var ids []string
		for _, j := range jobs[:min(len(jobs), 5)] {
			ids = append(ids, fmt.Sprintf("%s (%s)", j.ID, StatusOf(j)))
		}
		f.Hint = "jobs: " + strings.Join(ids, ", ")
		if len(jobs) > 5 {
			f.Hint += fmt.Sprintf(" and %d more", len(jobs)-5)
		}
		f.Hint += `; process {"action":"list"} lists yours`
		if !all {
			f.Hint += ", and with \"all\":true also those of others"
		}
	}
	return f
}

// jobsToFollow returns the jobs for the references of after or afterAny. An id may be that of any job,
// also of one that was cleared.
func (t *Tools) jobsToFollow(ctx context.Context, refs []engine.ID) (ids []engine.ID, err error) {
	for _, ref := range refs {
		j, err := t.Eng.Handle(ref).LastFacts(ctx)
		if err != nil {
			j, err = t.find(ctx, string(ref), false, engine.Read)
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, j.ID)
	}
	return ids, nil
}
