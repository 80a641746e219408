package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hobjobs/hob/engine"
)

// Action is what [Up] does with a process.
type Action string

const (
	Start   Action = "start"
	Keep    Action = "keep"    // its job runs already, and is not being stopped
	Restart Action = "restart" // its job runs another command, or in another directory
	Skip    Action = "skip"    // something that it needs was not started, or has failed
)

// Result is what became of a process.
type Result struct {
	Name   string      `json:"name"`
	Action Action      `json:"action"`
	Job    *engine.Job `json:"job"`             // nil if there is none
	Error  string      `json:"error,omitempty"` // why there is none, or why it could not be started
}

// Up starts processes as jobs of a group.
type Up struct {
	Engine *engine.Engine
	Group  Group
	Base   engine.Spec // what all jobs have in common, such as the size of the terminal

	// Done is called with each result. Waiting is called with a process that has to wait, and what it
	// waits for, again whenever that changes. Both are called from the goroutine of Run.
	Done    func(Result)
	Waiting func(name string, until []string)
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
		Up: u, chosen: chosen, pending: slices.Clone(chosen), results: map[string]Result{},
		known: map[string]error{}, watched: map[string]bool{}, waiting: map[string][]string{}, news: make(chan outcome),
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
	running, err := r.Group.Running(ctx, r.Engine)
	if err != nil {
		return err
	}
	r.pending = slices.DeleteFunc(r.pending, func(proc Process) bool {
		action, job := Decide(proc, running)
		keep := action == Keep && !follows(job) && job.Status != engine.Stopping
		if keep {
			r.report(Result{Name: proc.Name, Action: Keep, Job: &job})
		}
		return keep
	})
	return nil
}

func (r *run) report(result Result) {
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
		r.report(result)
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
	w := watcher{r.Engine, result.Job.ID, r.chosen[i]}
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
	job, err := r.startOne(ctx, proc, &result.Action)
	for errors.Is(err, errStopping) {
		r.Waiting(proc.Name, []string{string(job.ID) + " has ended"})
		if err = WaitStopped(ctx, r.Engine, job); err == nil {
			job, err = r.startOne(ctx, proc, &result.Action)
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

// errStopping means that the job of a process is being stopped.
var errStopping = errors.New("the job is being stopped")

// startOne starts a process, unless its job runs already. With errStopping it returns that job.
func (r *run) startOne(ctx context.Context, proc Process, action *Action) (engine.Job, error) {
	release, err := r.Engine.Exclusive(ctx, "up")
	if err != nil {
		return engine.Job{}, err
	}
	defer release()
	running, err := r.Group.Running(ctx, r.Engine)
	if err != nil {
		return engine.Job{}, err
	}
	var job engine.Job
	*action, job = Decide(proc, running)
	if job.Status == engine.Stopping {
		return job, errStopping
	}
	spec := r.spec(proc)
	sameNeeds := slices.Equal(job.After, spec.After) && slices.Equal(job.AfterAny, spec.AfterAny)
	if *action == Keep && follows(job) && !sameNeeds {
		*action = Restart
	}
	var opts []engine.StartOption
	if len(proc.Unset) > 0 {
		opts = append(opts, engine.WithEnviron(proc.environ()))
	}
	switch *action {
	case Keep:
		return job, nil
	case Restart:
		return r.Engine.Handle(job.ID).Restart(ctx, engine.RestartOptions{Edited: &spec}, opts...)
	case Start, Skip:
	}
	// The list shows earlier runs of the process behind the new one, as after a restart.
	if spec.RestartedFrom, err = r.Group.last(ctx, r.Engine, proc.Name); err != nil {
		return engine.Job{}, err
	}
	job, err = r.Engine.Start(ctx, spec, opts...)
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

// Decide returns what to do with a process, given the running jobs of its group, and its job if it has
// one. If that is being stopped, something can be done only when it has ended: see [WaitStopped].
func Decide(proc Process, running []engine.Job) (Action, engine.Job) {
	own := slices.DeleteFunc(slices.Clone(running), func(j engine.Job) bool { return ProcessOf(j) != proc.Name })
	for i, j := range own {
		if j.Status == engine.Stopping && i < len(own)-1 {
			continue // the other one runs
		}
		command, script := commandOf(proc)
		sameCommand := j.Script == script && slices.Equal(j.Command, command)
		if sameCommand && Canonical(j.Dir) == Canonical(proc.Dir) {
			return Keep, j
		}
		return Restart, j
	}
	return Start, engine.Job{}
}

// commandOf returns the command or the script of the job of a process.
func commandOf(proc Process) (command []string, script string) {
	if command = proc.argv(); command == nil {
		script = proc.Script
	}
	return command, script
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

// spec returns the job of a process.
func (r *run) spec(proc Process) engine.Spec {
	s := r.Base
	s.Name, s.Dir, s.Env, s.PTY, s.Backgrounded = proc.Name, proc.Dir, proc.Env, true, true
	s.Command, s.Script = commandOf(proc)
	s.Restart = proc.Restart
	s.Labels = r.Group.Labels()
	s.Labels[processLabel] = proc.Name
	if proc.FreePort {
		s.Port = engine.AutoPort
	}
	if proc.Grace > 0 {
		s.Grace = proc.Grace
	}
	r.order(proc, &s)
	return s
}
