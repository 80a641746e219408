package project

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// Action is what [Up] does with a process.
type Action string

const (
	Start   Action = "start"
	Keep    Action = "keep"    // its job runs already, and is not being stopped
	Restart Action = "restart" // its job differs from what the file describes
	Skip    Action = "skip"    // something that it needs was not started, or has failed
	Gone    Action = "gone"    // its job runs, but the file no longer has it
	Stop    Action = "stop"    // likewise; the job was stopped
)

// Decision is what to do with a process.
type Decision struct {
	Action Action
	Job    engine.Job // that runs; without an ID if there is none
	// Reason is how the job differs from what the file describes; empty if it does not, or if there is none.
	Reason string
}

// Decide returns what to do with a process, given the running jobs of its group. If the job is being stopped,
// something can be done only when it has ended: see [WaitStopped].
func (u *Up) Decide(proc Process, running []engine.Job) Decision {
	own := slices.DeleteFunc(slices.Clone(running), func(j engine.Job) bool { return !proc.isOf(j) })
	if len(own) == 0 {
		return Decision{Action: Start}
	}
	job := own[0]
	for _, j := range own {
		if j.Status != engine.Stopping {
			job = j
			break
		}
	}
	d := Decision{Action: Keep, Job: job, Reason: strings.Join(u.differences(proc, job), ", ")}
	if u.RestartAll || d.Reason != "" && !u.Keep {
		d.Action = Restart
	}
	return d
}

// ReadKey reads what Decide needs to notice changed variables, if a job has been started.
func (u *Up) ReadKey() (err error) {
	u.key, err = readKey(u.Engine.StateDir())
	return err
}

// makeKey is like ReadKey, and creates the key if there is none.
func (u *Up) makeKey(ctx context.Context) error {
	release, err := u.Engine.Exclusive(ctx, keyFile)
	if err != nil {
		return err
	}
	defer release()
	u.key, err = makeKey(u.Engine.StateDir())
	return err
}

// isOf reports whether a job runs the process.
func (p *Process) isOf(j engine.Job) bool {
	switch ProcessOf(j) {
	case p.Name:
		return true
	case p.Base: // the job was started before there were copies
		return p.Copy == 1
	case p.Name + ".1":
		return p.PS != "" // likewise, and there are none any more
	}
	return false
}

// difference is one way in which a job may differ from the request for it.
type difference struct {
	text string
	is   func(j *engine.Job, s *engine.Spec) bool
}

func differencesOfJobs() []difference {
	return []difference{
		{"name changed", func(j *engine.Job, s *engine.Spec) bool { return ProcessOf(*j) != s.Labels[processLabel] }},
		{"command changed", func(j *engine.Job, s *engine.Spec) bool {
			return j.Script != s.Script || !slices.Equal(j.Command, s.Command)
		}},
		{"directory changed", func(j *engine.Job, s *engine.Spec) bool { return Canonical(j.Dir) != Canonical(s.Dir) }},
		{"restart policy changed", func(j *engine.Job, s *engine.Spec) bool { return j.Restart != s.Restart }},
		{"pause before restarts changed", func(j *engine.Job, s *engine.Spec) bool { return j.RestartPause.Duration() != s.RestartPause }},
		{"grace period changed", func(j *engine.Job, s *engine.Spec) bool {
			return s.Grace != 0 && j.Grace.Duration() != s.Grace // 0: the default of the engine
		}},
		{"health check changed", func(j *engine.Job, s *engine.Spec) bool { return j.HealthCheck != s.Health }},
		{"stop signal changed", func(j *engine.Job, s *engine.Spec) bool { return j.StopSignal != s.StopSignal }},
		{"stop command changed", func(j *engine.Job, s *engine.Spec) bool { return j.StopCommand != s.StopCommand }},
		{"PORT changed", func(j *engine.Job, s *engine.Spec) bool { return (j.Port != 0) != (s.Port != 0) }},
	}
}

// differences describes how a job differs from what the file describes.
func (u *Up) differences(proc Process, job engine.Job) (texts []string) {
	spec := u.spec(proc)
	for _, d := range differencesOfJobs() {
		if d.is(&job, &spec) {
			texts = append(texts, d.text)
		}
	}
	if len(job.EnvDigests) == 0 && len(job.EnvNames) > 0 {
		return texts // the job was started without a key
	}
	changed := u.key.changed(proc, job.EnvDigests)
	for _, file := range slices.Sorted(maps.Keys(changed)) {
		slices.Sort(changed[file])
		texts = append(texts, cmp.Or(file, "environment")+" changed ("+strings.Join(changed[file], ", ")+")")
	}
	return texts
}
