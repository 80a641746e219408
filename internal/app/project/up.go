package project

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hobjobs/hob/engine"
)

// Action is what [Up] does with a process.
type Action string

const (
	Start   Action = "start"
	Keep    Action = "keep"    // its job runs already
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

// need is a need of any process.
type need struct {
	name  string
	until Until
}

// run is the state of one call of [Up.Run].
type run struct {
	*Up
	chosen  []Process
	pending []Process
	results map[string]Result
	met     map[need]error // of the needs whose outcome is known
	watched map[need]bool
	waiting map[string][]string // as last reported
	news    chan outcome
}

// outcome says that a need is met, or why it never will be.
type outcome struct {
	need need
	err  error
}

// Run starts the processes, which are in the order of [Plan.Select], each one as soon as what it needs
// is there. It returns when all are started or skipped, or with the error of ctx when that is done; then
// the remaining ones are not started.
func (u *Up) Run(ctx context.Context, chosen []Process) error {
	ctx, cancel := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	defer watchers.Wait()
	defer cancel()
	r := &run{
		Up: u, chosen: chosen, pending: slices.Clone(chosen), results: map[string]Result{},
		met: map[need]error{}, watched: map[need]bool{}, waiting: map[string][]string{}, news: make(chan outcome),
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
				r.watch(ctx, need{n.Name, n.Until}, &watchers)
			}
		}
		select {
		case o := <-r.news:
			r.met[o.need] = o.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keepRunning handles the processes that run already: they wait for nothing.
func (r *run) keepRunning(ctx context.Context) error {
	running, err := r.Group.Running(ctx, r.Engine)
	if err != nil {
		return err
	}
	r.pending = slices.DeleteFunc(r.pending, func(proc Process) bool {
		action, job := Decide(proc, running)
		if action == Keep {
			r.report(Result{Name: proc.Name, Action: Keep, Job: &job})
		}
		return action == Keep
	})
	return nil
}

func (r *run) report(result Result) {
	r.results[result.Name] = result
	r.Done(result)
}

// startSome handles the pending processes that wait for nothing, and reports whether there were any.
func (r *run) startSome(ctx context.Context) (some bool) {
	var rest []Process
	for _, proc := range r.pending {
		ok, err := r.ready(proc)
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

// ready reports whether all needs of a process are met. An error means that they never will be.
func (r *run) ready(proc Process) (bool, error) {
	for _, n := range proc.Needs {
		result, known := r.results[n.Name]
		switch {
		case !known:
			return false, nil
		case result.Error != "":
			return false, fmt.Errorf("%s is not running", n.Name)
		case n.Until == Started:
			continue
		}
		err, known := r.met[need{n.Name, n.Until}]
		if !known || err != nil {
			return false, err
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
		_, known := r.met[need{n.Name, n.Until}]
		if !known && (n.Until != Started || !started) {
			texts = append(texts, text)
		}
	}
	return texts
}

// watch waits for a need of a process that has a job, unless it does so already.
func (r *run) watch(ctx context.Context, n need, watchers *sync.WaitGroup) {
	result, started := r.results[n.name]
	if !started || result.Job == nil || n.until == Started || r.watched[n] {
		return
	}
	r.watched[n] = true
	i := slices.IndexFunc(r.chosen, func(p Process) bool { return p.Name == n.name })
	w := watcher{r.Engine, result.Job.ID, r.chosen[i]}
	watchers.Go(func() { // ends with ctx
		select {
		case r.news <- outcome{n, w.await(ctx, n.until)}:
		case <-ctx.Done():
		}
	})
}

// start starts a process, unless its job runs already. Another hob up may do the same at this moment.
func (r *run) start(ctx context.Context, proc Process) Result {
	result := Result{Name: proc.Name, Action: Start}
	job, err := r.startOne(ctx, proc, &result.Action)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Job = &job
	if job.Status == engine.Failed || job.Status == engine.Lost {
		result.Error = job.Ending()
	}
	return result
}

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
	spec := r.spec(proc)
	var opts []engine.StartOption
	if len(proc.Unset) > 0 {
		opts = append(opts, engine.WithEnviron(proc.environ()))
	}
	switch *action {
	case Keep:
		return job, nil
	case Restart:
		return r.Engine.Restart(ctx, job.ID, engine.RestartOptions{Edited: &spec}, opts...)
	case Start, Skip:
	}
	// The list shows earlier runs of the process behind the new one, as after a restart.
	if spec.RestartedFrom, err = r.Group.last(ctx, r.Engine, proc.Name); err != nil {
		return engine.Job{}, err
	}
	return r.Engine.Start(ctx, spec, opts...)
}

// Decide returns what to do with a process, given the running jobs of its group, and its job if it has
// one.
func Decide(proc Process, running []engine.Job) (Action, engine.Job) {
	for _, j := range running {
		if ProcessOf(j) != proc.Name {
			continue
		}
		command, script := commandOf(proc)
		if Canonical(j.Dir) == Canonical(proc.Dir) && j.Script == script && slices.Equal(j.Command, command) {
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

// spec returns the job of a process.
func (u *Up) spec(proc Process) engine.Spec {
	s := u.Base
	s.Name, s.Dir, s.Env, s.PTY, s.Backgrounded = proc.Name, proc.Dir, proc.Env, true, true
	s.Command, s.Script = commandOf(proc)
	s.Restart = proc.Restart
	s.Labels = u.Group.Labels()
	s.Labels[processLabel] = proc.Name
	if proc.FreePort {
		s.Port = engine.AutoPort
	}
	if proc.Grace > 0 {
		s.Grace = proc.Grace
	}
	return s
}
