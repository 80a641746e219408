package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// ReviveOptions tunes [Engine.Revive].
type ReviveOptions struct {
	// IDs are the jobs to start again; they may be lost in any way. nil: all jobs on Host that ended
	// with a reboot.
	IDs  []ID
	Host string // empty: this machine
	// Select limits the jobs that ended with a reboot. nil: all.
	Select func(Job) bool
	// DryRun starts nothing: the result is what would be started.
	DryRun bool
	// Env has values of variables, which are not stored. A job gets those that it was given before.
	Env map[string]string
}

// Revival is a job that was lost, and what became of the request to start it again.
type Revival struct {
	Lost Job
	// Started is the job that takes its place; nil: none was started.
	Started *Job
	// Err is why it is not started, for example *[MissingEnvError]; nil: it is, or would be.
	Err error
}

// Revive starts lost jobs again, in the order in which they were requested, each as [Handle.Restart] does. In a queue,
// those that ran come first, and then those that were put first, see [Engine.StartQueued]. A job that waited for another
// one of them waits for the new job now. The environment of the caller has no values for variables
// that were given to a job: those come from Env, or from the file that describes the job.
//
// A job is started once: it counts as started as long as a job with its RestartedFrom exists that has run. Only one Revive of a
// state directory runs at a time, and one that was interrupted can be repeated. If another machine starts a job of a host
// again at the same time, one of the two does, and the other gets ErrInvalid. If ctx ends, the result has the jobs
// until then, with the error of ctx.
func (e *Engine) Revive(ctx context.Context, o ReviveOptions, opts ...StartOption) ([]Revival, error) {
	if !o.DryRun {
		release, err := e.Exclusive(ctx, "revive")
		if err != nil {
			return nil, err
		}
		defer release()
	}
	all, err := e.List(ctx, Filter{Unverified: true})
	if err != nil {
		return nil, err
	}
	r := newReviver(e, o, all)
	var done []Revival
	for _, lost := range r.chosen(all) {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		one := Revival{Lost: lost}
		one.Started, one.Err = r.revive(ctx, lost, opts)
		done = append(done, one)
	}
	return done, nil
}

// reviver is the state of one call of [Engine.Revive].
type reviver struct {
	*Engine
	o    ReviveOptions
	jobs map[ID]Job
	// next is the job that was started in the place of a job. A dry run has the job itself for those that it would start.
	next map[ID]ID
}

func newReviver(e *Engine, o ReviveOptions, all []Job) *reviver {
	r := &reviver{Engine: e, o: o, jobs: map[ID]Job{}, next: map[ID]ID{}}
	for _, j := range all { // newest first
		r.jobs[j.ID] = j
		ran := j.ID
		if j.NeverRan() {
			ran = r.next[j.ID]
		}
		if _, newer := r.next[j.RestartedFrom]; !newer && ran != "" {
			r.next[j.RestartedFrom] = ran
		}
	}
	delete(r.next, "")
	return r
}

// endedWithReboot reports whether a reboot has ended the job, on this machine or on its host.
func endedWithReboot(j Job) bool {
	return j.Status == Lost && j.Exit.Reason == ReasonReboot && j.Kind != KindVirtual
}

// chosen returns the jobs to start, in their order.
func (r *reviver) chosen(all []Job) []Job {
	var jobs []Job
	for _, j := range slices.Backward(all) {
		asked := slices.Contains(r.o.IDs, j.ID)
		if r.o.IDs == nil {
			asked = r.offers(j)
		}
		if asked {
			jobs = append(jobs, j)
		}
	}
	return r.inOrder(jobs)
}

// offers reports whether a job is started without being named.
func (r *reviver) offers(j Job) bool {
	switch {
	case !endedWithReboot(j), j.Host != r.o.Host, r.next[j.ID] != "":
		return false
	case j.Host == "" && cmp.Or(j.Machine, j.ClientMachine, r.here.machine) != r.here.machine:
		return false
	}
	return r.o.Select == nil || r.o.Select(j)
}

// revive starts a lost job again, or with DryRun finds out whether that is possible.
func (r *reviver) revive(ctx context.Context, lost Job, opts []StartOption) (*Job, error) {
	spec, renewed, err := r.request(ctx, lost)
	if err != nil {
		return nil, r.refused(lost, err)
	}
	if r.o.DryRun {
		r.next[lost.ID] = lost.ID
		return nil, nil
	}
	opts = slices.Concat(opts, renewed, []StartOption{inPlaceOf(lost)})
	j, err := r.Start(ctx, spec, opts...)
	if err != nil {
		return nil, r.refused(lost, err)
	}
	if j.RestartedFrom != lost.ID {
		return nil, r.refused(lost, fmt.Errorf("%w: %s runs the same process", ErrRunning, j.ID))
	}
	r.next[lost.ID] = j.ID
	if err := r.MarkSeen(lost.ID); err != nil {
		r.log.Debug("cannot mark a job that was started again", "job", lost.ID, "err", err)
	}
	return &j, nil
}

// request returns what is started in the place of a lost job.
func (r *reviver) request(ctx context.Context, lost Job) (Spec, []StartOption, error) {
	if lost.Status != Lost {
		return Spec{}, nil, &Error{
			Err:  fmt.Errorf("%w: it is %s, not lost", ErrInvalid, lost.Status),
			Hint: "to run it again: hob restart " + string(lost.ID),
		}
	}
	if by := r.next[lost.ID]; by != "" {
		return Spec{}, nil, fmt.Errorf("%w: %s was started in its place", ErrInvalid, by)
	}
	process := processOf(lost.Labels)
	current, runs, err := process.running(ctx, r.Engine)
	switch {
	case err != nil:
		return Spec{}, nil, err
	case runs && lost.Host == "":
		return Spec{}, nil, fmt.Errorf("%w: %s runs the same process", ErrRunning, current.ID)
	}
	given := map[string]string{}
	for _, name := range lost.EnvNames {
		if value, ok := r.o.Env[name]; ok {
			given[name] = value
		}
	}
	noEnvironment := []StartOption{WithEnviron([]string{})}
	spec, renewed, err := r.Handle(lost.ID).restartSpec(lost, RestartOptions{Env: given}, noEnvironment)
	if err != nil {
		return Spec{}, nil, err
	}
	if spec.After, err = r.following(spec.After); err != nil {
		return Spec{}, nil, err
	}
	if spec.AfterAny, err = r.following(spec.AfterAny); err != nil {
		return Spec{}, nil, err
	}
	spec.Single = process != nil
	return spec, renewed, r.mayStart(spec)
}

// following returns the jobs to wait for instead of ids: those that were started in the place of jobs that ended with
// a reboot.
func (r *reviver) following(ids []ID) ([]ID, error) {
	now := slices.Clone(ids)
	for i, id := range now {
		for endedWithReboot(r.jobs[id]) {
			next := r.next[id]
			if next == "" {
				return nil, &Error{
					Err:  fmt.Errorf("%w: it waits for %s, which is not started again", ErrInvalid, id),
					Hint: "start both, or run its command as a new job",
				}
			}
			if next == id { // a dry run
				break
			}
			id = next
		}
		now[i] = id
	}
	return now, nil
}

// refused returns why a lost job is not started again, with what to do.
func (r *reviver) refused(lost Job, err error) error {
	refusal := &Error{
		Op:  "revive",
		Job: lost.ID,
		Err: err,
	}
	if failed, ok := errors.AsType[*Error](err); ok {
		refusal.Err, refusal.Hint = failed.Err, failed.Hint
	}
	if missing, ok := errors.AsType[*MissingEnvError](err); ok {
		refusal.Err, refusal.Hint = missing, "give the values: -e NAME=VALUE"
	}
	return refusal
}
