package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// Result is what became of a process.
type Result struct {
	Name   string      `json:"name"`
	Action Action      `json:"action"`
	Reason string      `json:"reason,omitempty"` // how the job that ran differed from the file
	Job    *engine.Job `json:"job"`              // nil if there is none
	Error  string      `json:"error,omitempty"`  // why there is none, or why it could not be started
	// NotReady is why the process, which has been started, does not become ready.
	NotReady string `json:"not_ready,omitempty"`
}

// Up starts processes as jobs of a group.
type Up struct {
	Engine *engine.Engine
	Group  Group
	Source Source
	Base   engine.Spec // what all jobs have in common, such as the size of the terminal

	Known      []Process // all processes of the file
	Keep       bool      // leave jobs alone that differ from the file
	RestartAll bool      // restart also the jobs that do not
	Prune      bool      // stop the jobs of processes that are not Known

	// Timeout bounds every wait for which the file has no limit; 0: ten minutes.
	Timeout time.Duration

	// Done is called with each result. Waiting is called with a process that has to wait, and what it
	// waits for, again whenever that changes. Both are called from the goroutine of Run.
	Done    func(Result)
	Waiting func(name string, until []string)

	key digestKey
}

// run is the state of one call of [Up.Run].
type run struct {
	*Up
	chosen  []Process
	pending []Process
	results map[string]Result
	known   map[string]error    // of the processes that are ready, or why they never will be
	watched map[string]bool     // until they are ready
	waiting map[string][]string // as last reported
	news    chan outcome
}

// outcome reports that a process is ready, or why it never will be.
type outcome struct {
	name string
	err  error
}

// Run starts the processes, which are in the order of [Plan.Select]. One that needs the end of others is
// queued behind their jobs, so that it starts without hob up; Run itself waits only until processes are
// ready. It returns when all are started, queued or skipped, or with the error of ctx when that is done;
// then the remaining ones are not started.
func (u *Up) Run(ctx context.Context, chosen []Process) error {
	ctx, cancel := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	defer watchers.Wait()
	defer cancel()
	r := &run{
		Up:      u,
		chosen:  chosen,
		pending: slices.Clone(chosen),
		results: map[string]Result{},
		known:   map[string]error{},
		watched: map[string]bool{},
		waiting: map[string][]string{},
		news:    make(chan outcome),
	}
	if err := u.makeKey(ctx); err != nil {
		return err
	}
	if err := r.keepRunning(ctx); err != nil {
		return err
	}
	for {
		for r.startSome(ctx) {
		}
		if len(r.pending) == 0 {
			return nil
		}
		for _, proc := range r.pending {
			r.announce(proc)
			for _, n := range proc.Needs {
				if n.Until == IsReady {
					r.watch(ctx, n.Name, &watchers)
				}
			}
		}
		select {
		case o := <-r.news:
			r.known[o.name] = o.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keepRunning handles the processes that run already: they wait for nothing. Those that are queued may
// have to wait for another job now.
func (r *run) keepRunning(ctx context.Context) error {
	jobs, err := r.Group.jobs(ctx, r.Engine, engine.Filter{})
	if err != nil {
		return err
	}
	running := slices.DeleteFunc(slices.Clone(jobs), func(j engine.Job) bool { return j.Status.Finished() })
	r.handleGone(ctx, running)
	if err := r.leaveOut(jobs); err != nil {
		return err
	}
	r.pending = slices.DeleteFunc(r.pending, func(proc Process) bool {
		d := r.Decide(proc, running)
		keep := d.Action == Keep && !follows(d.Job) && d.Job.Status != engine.Stopping
		if keep {
			r.report(ctx, proc, Result{
				Name:   proc.Name,
				Action: Keep,
				Reason: d.Reason,
				Job:    &d.Job,
			})
		}
		return keep
	})
	return nil
}

func (r *run) report(ctx context.Context, proc Process, result Result) {
	if result.Job != nil && result.Error == "" {
		why, err := stranger(ctx, r.Engine, proc, *result.Job)
		if err != nil {
			why = err.Error()
		}
		result.NotReady = why
	}
	r.results[result.Name] = result
	r.Done(result)
}

// startSome handles the pending processes that can be started or queued, and reports whether there were
// any.
func (r *run) startSome(ctx context.Context) (some bool) {
	var rest []Process
	for _, proc := range r.pending {
		ok, err := r.ready(ctx, proc)
		if !ok && err == nil || ctx.Err() != nil {
			rest = append(rest, proc)
			continue
		}
		some = true
		result := Result{Name: proc.Name, Action: Skip}
		if err != nil {
			result.Error = err.Error()
		} else {
			result = r.start(ctx, proc)
		}
		r.report(ctx, proc, result)
	}
	r.pending = rest
	return some && len(rest) > 0
}

// ready reports whether a process can be started, or queued behind the jobs of others. An error means
// that it never can be.
func (r *run) ready(ctx context.Context, proc Process) (bool, error) {
	for _, n := range proc.Needs {
		result, known := r.results[n.Name]
		switch {
		case !known:
			return false, nil
		case result.Error != "":
			return false, fmt.Errorf("%s is not running", n.Name)
		case n.Until != IsReady:
			continue
		case result.NotReady != "":
			return false, fmt.Errorf("%s is not ready: %s", n.Name, result.NotReady)
		}
		if err, known := r.known[n.Name]; !known || err != nil {
			return false, err
		}
		if j, err := r.Engine.Handle(result.Job.ID).Facts(ctx); err == nil && j.Status.Finished() {
			return false, fmt.Errorf("%s has ended", n.Name)
		}
	}
	return true, nil
}

// announce reports what a process waits for, if that has changed.
func (r *run) announce(proc Process) {
	until := r.missing(proc)
	if before, ok := r.waiting[proc.Name]; !ok || !slices.Equal(before, until) {
		r.waiting[proc.Name] = until
		r.Waiting(proc.Name, until)
	}
}

// missing describes the needs of a process that are not met.
func (r *run) missing(proc Process) (texts []string) {
	for i, text := range After(proc, r.chosen) {
		n := proc.Needs[i]
		_, started := r.results[n.Name]
		_, known := r.known[n.Name]
		if !started || n.Until == IsReady && !known {
			texts = append(texts, text)
		}
	}
	return texts
}

// watch waits until a process that has a job is ready, unless it does so already.
func (r *run) watch(ctx context.Context, name string, watchers *sync.WaitGroup) {
	result, started := r.results[name]
	if !started || result.Job == nil || r.watched[name] {
		return
	}
	r.watched[name] = true
	i := slices.IndexFunc(r.chosen, func(p Process) bool { return p.Name == name })
	w := watcher{r.Engine, result.Job.ID, r.chosen[i], cmp.Or(r.Timeout, defaultLimit)}
	watchers.Go(func() { // ends with ctx
		select {
		case r.news <- outcome{name, w.await(ctx)}:
		case <-ctx.Done():
		}
	})
}

// start starts a process, unless its job runs already. It waits for the end of one that is being
// stopped. Another hob up may do the same at this moment.
func (r *run) start(ctx context.Context, proc Process) Result {
	result := Result{Name: proc.Name, Action: Start}
	job, err := r.startOne(ctx, proc, &result)
	for errors.Is(err, errStopping) {
		r.Waiting(proc.Name, []string{string(job.ID) + " has ended"})
		if err = WaitStopped(ctx, r.Engine, job); err == nil {
			job, err = r.startOne(ctx, proc, &result)
		}
	}
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Job = &job
	if job.Status == engine.Failed || job.Status == engine.Lost {
		result.Error = errorOf(job.Exit, job.Ending())
	}
	return result
}

// markStranger notes in the job of a process that is about to start which other process has its port.
func (r *run) markStranger(ctx context.Context, proc Process, s *engine.Spec, d Decision) error {
	if d.Action == Keep {
		return nil
	}
	who, err := strangerOn(ctx, r.Engine, proc, d.Job.ID)
	if who != "" {
		s.Labels[strangerLabel] = who
	}
	return err
}

// errStopping means that the job of a process is being stopped.
var errStopping = errors.New("the job is being stopped")

// startOne starts a process, unless its job runs already, and sets what it did in the result. If another hob up or a
// restart does the same meanwhile, only one of them starts it. With errStopping it returns the job that is being
// stopped.
func (r *run) startOne(ctx context.Context, proc Process, result *Result) (engine.Job, error) {
	running, err := r.Group.Running(ctx, r.Engine)
	if err != nil {
		return engine.Job{}, err
	}
	d := r.Decide(proc, running)
	result.Action, result.Reason = d.Action, d.Reason
	if d.Job.Status == engine.Stopping {
		return d.Job, errStopping
	}
	spec := r.spec(proc)
	r.order(proc, &spec)
	if err := r.markStranger(ctx, proc, &spec, d); err != nil {
		return engine.Job{}, err
	}
	sameNeeds := slices.Equal(d.Job.After, spec.After) && slices.Equal(d.Job.AfterAny, spec.AfterAny)
	if d.Action == Keep && follows(d.Job) && !sameNeeds {
		result.Action = Restart
	}
	opts := proc.startOptions()
	switch result.Action {
	case Keep:
		return d.Job, nil
	case Restart:
		return r.Engine.Handle(d.Job.ID).Restart(ctx, engine.RestartOptions{Edited: &spec}, opts...)
	case Start, Skip, Gone, Stop:
	}
	// The list shows earlier runs of the process behind the new one, as after a restart.
	if spec.RestartedFrom, err = r.Group.last(ctx, r.Engine, proc.Name); err != nil {
		return engine.Job{}, err
	}
	job, err := r.Engine.Start(ctx, spec, opts...)
	if err == nil && spec.RestartedFrom != "" {
		// As after a restart, a failure of the earlier run needs no attention any more. If that cannot be
		// recorded, it gets attention.
		_ = r.Engine.MarkSeen(spec.RestartedFrom)
	}
	return job, err
}

// errorOf returns the error of a process whose job ended as ending describes. One that was not started
// because of another process has no error of its own.
func errorOf(end engine.Exit, ending string) string {
	switch end.Reason {
	case engine.ReasonDependency:
		return ""
	case engine.ReasonSpawn:
		return end.Error
	default:
		return ending
	}
}

// follows reports whether a job has not begun because it waits for other jobs.
func follows(j engine.Job) bool {
	return j.Status == engine.Queued && j.StartedAt.IsZero() && len(j.After)+len(j.AfterAny) > 0
}

// order adds to the job of a process the jobs that it follows. A process that needs the start of a
// queued one follows the same jobs as that.
func (r *run) order(proc Process, s *engine.Spec) {
	add := func(to *[]engine.ID, ids ...engine.ID) {
		for _, id := range ids {
			if !slices.Contains(*to, id) {
				*to = append(*to, id)
			}
		}
	}
	for _, n := range proc.Needs {
		job := r.results[n.Name].Job
		switch {
		case n.Until == Succeeded:
			add(&s.After, job.ID)
		case n.Until == Completed:
			add(&s.AfterAny, job.ID)
		case n.Until == Started && follows(*job):
			add(&s.After, job.After...)
			add(&s.AfterAny, job.AfterAny...)
		}
	}
}

// spec returns the job of a process, without the jobs that it follows.
func (u *Up) spec(proc Process) engine.Spec {
	s := u.Base
	s.Name, s.PTY, s.Backgrounded, s.Single = proc.Name, true, true, true
	s.Labels = u.Source.labels()
	maps.Copy(s.Labels, u.Group.Labels())
	s.Labels[processLabel] = proc.Name
	if proc.Base != "" {
		s.Labels[baseLabel] = proc.Base
	}
	proc.describe(&s, u.key)
	if needs := needNames(proc); needs != "" {
		s.Labels[engine.NeedsLabel] = needs
	}
	return s
}
