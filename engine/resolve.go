package engine

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/jobname"
)

// Intent is the purpose for which a reference is resolved.
type Intent int

// The intents.
const (
	Read Intent = iota // to read or restart: for a shared name the newest job if none is running
	Act                // to act: for a shared name only the one that is running
)

// Find returns the job that ref refers to: an id, a name, "GROUP/NAME" for a job of a group, a unique
// prefix of an id, three or more letters at its end, "@" for the newest job, "@2" for the one before it. An
// exact id takes precedence over a name, a name over a prefix, a prefix over letters at the end. Among jobs of one name, a
// running one takes precedence over those that are being stopped, and these over those that have ended. A name may be given as
// it was requested, although it is stored shortened and on one line.
// The errors are ErrNotFound and *[AmbiguousError].
func (e *Engine) Find(ctx context.Context, ref string, in Intent) (Job, error) {
	if ref == "" {
		return Job{}, invalid("find", "an empty name", "specify an id, a name, or @ for the newest job")
	}
	if n, ok := nthNewest(ref); ok {
		return e.newest(ctx, ref, n)
	}
	if jobdir.ValidID(ref) {
		j, err := e.read(ctx, ID(ref))
		if err == nil {
			return j, nil
		}
		if err := ctx.Err(); err != nil { // it may be a name, which was not looked up
			return Job{}, err
		}
	}
	ids, err := e.ids(ctx)
	if err != nil {
		return Job{}, err
	}
	meant := func(j *Job) bool { return named(j, ref) || prefixed(j, ref) || suffixed(j, ref) }
	jobs, err := e.list(ctx, ids, false, meant, meant)
	if err != nil {
		return Job{}, err
	}
	return pick(jobs, ref, in)
}

// Choose is like [Engine.Find] for the given jobs, which must be sorted newest first.
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

func named(j *Job, ref string) bool {
	return j.Name == ref || j.Name == jobname.Clip(ref) || ref == groupedName(j)
}

// groupedName returns the name of a job with that of its group, as in "shop/web"; "" if it has none.
func groupedName(j *Job) string {
	if group := j.Labels["group"]; group != "" {
		return group + "/" + cmp.Or(j.Labels["process"], j.Name)
	}
	return ""
}

func prefixed(j *Job, ref string) bool { return strings.HasPrefix(string(j.ID), ref) }

// leastSuffix is the minimum number of letters at the end of an id that refer to a job. Fewer are more likely
// a mistake, such as the 9 of a signal.
const leastSuffix = 3

func suffixed(j *Job, ref string) bool {
	return len(ref) >= leastSuffix && strings.HasSuffix(string(j.ID), ref)
}

// pick chooses among jobs, which are sorted newest first.
func pick(jobs []Job, ref string, in Intent) (Job, error) {
	matching := func(does func(*Job, string) bool) []Job {
		return slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return !does(&j, ref) })
	}
	of := matching(named)
	if len(of) == 0 {
		if of = matching(prefixed); len(of) == 0 {
			of = matching(suffixed)
		}
		switch len(of) {
		case 0:
			return Job{}, notFound(ref)
		case 1:
			return of[0], nil
		}
		return Job{}, &AmbiguousError{Ref: ref, Candidates: of}
	}
	running := slices.DeleteFunc(slices.Clone(of), func(j Job) bool { return j.Status.Finished() })
	lasting := slices.DeleteFunc(slices.Clone(running), func(j Job) bool { return j.Status == Stopping })
	if len(lasting) > 0 {
		running = lasting // those that are being stopped make way for them, as in a restart
	}
	switch {
	case len(running) == 1:
		return running[0], nil
	case len(running) > 1:
		return Job{}, &AmbiguousError{Ref: ref, Candidates: running}
	case len(of) == 1, in == Read:
		return of[0], nil
	}
	return Job{}, &AmbiguousError{Ref: ref, Candidates: of}
}

// nthNewest parses "@" and "@N", N from 1.
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

// newest returns the nth newest job. It does not observe the others.
func (e *Engine) newest(ctx context.Context, ref string, n int) (Job, error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return Job{}, err
	}
	jobs := make([]Job, 0, len(ids))
	e.visitRecords(ids, func(j *Job, _ *jobdir.Record) { jobs = append(jobs, *j) })
	if n > len(jobs) {
		return Job{}, notFound(ref)
	}
	return e.read(ctx, newestFirst(jobs)[n-1].ID)
}

// byToken returns the job that was started with token. It observes only that job: others may be on
// hosts that answer slowly or not at all.
func (e *Engine) byToken(ctx context.Context, token string) (j Job, ok bool, err error) {
	ids, err := e.ids(ctx)
	if err != nil {
		return Job{}, false, err
	}
	var id ID
	e.visitRecords(ids, func(j *Job, _ *jobdir.Record) {
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
