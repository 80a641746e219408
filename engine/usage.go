package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// gauge measures what the running jobs of this machine use. It keeps the last sample of each job
// that was measured within sampleLife.
type gauge struct {
	mu      sync.Mutex // guards the fields below, and serializes measurements
	scan    proc.Scanner
	samples map[ID]*sample
}

type sample struct {
	at    time.Time
	meter proc.Meter
	used  time.Duration // CPU time by then, of a job on a host
}

// sampleLife is how long a sample is kept: the difference to an older one says little about current
// usage, and the job may be gone.
const sampleLife = time.Hour

// MeasureAll returns jobs, as [Engine.List] returns them, with their current CPU, RSS and Ports where
// they can be determined: for running jobs that have a process on this machine, or on a connected host that
// has hob's holder. List and [Handle.Facts] omit these, since finding them reads all processes of the machine.
func (e *Engine) MeasureAll(jobs []Job) []Job {
	there := make(chan map[ID]Used, 1)
	go func() {
		ctx, cancel := context.WithTimeout(e.runCtx, hostPatience)
		defer cancel()
		there <- e.usedThere(ctx, jobs)
	}()
	here := e.gauge.measureHere(e, jobs)
	return e.gauge.addUsed(here, <-there)
}

// measureHere is MeasureAll for the jobs on this machine.
func (g *gauge) measureHere(e *Engine, jobs []Job) []Job {
	var refs []proc.JobRef
	var at []int
	for i, j := range jobs {
		switch {
		case !j.here(), j.Status.Finished(), j.Leader.PID == 0:
			continue
		}
		if ref, ok := e.processesOf(j); ok {
			refs, at = append(refs, ref), append(at, i)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(refs) == 0 {
		return jobs
	}
	members, err := g.scan.MembersOf(refs)
	if err != nil {
		if !errors.Is(err, proc.ErrUnsupported) {
			e.log.Debug("cannot measure usage", "err", err)
		}
		return jobs
	}
	jobs = slices.Clone(jobs)
	now := time.Now()
	for k, procs := range members {
		g.fill(&jobs[at[k]], procs, now)
	}
	g.forget(now)
	return jobs
}

// hostPatience is how long a measurement on hosts may take.
const hostPatience = 2 * time.Second

// addUsed adds what the jobs on hosts use.
func (g *gauge) addUsed(jobs []Job, used map[ID]Used) []Job {
	if len(used) == 0 {
		return jobs
	}
	jobs = slices.Clone(jobs)
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for i := range jobs {
		if u, ok := used[jobs[i].ID]; ok {
			g.fillUsed(&jobs[i], u, now)
		}
	}
	return jobs
}

// usedThere asks the hosts of running jobs what these use.
func (e *Engine) usedThere(ctx context.Context, jobs []Job) map[ID]Used {
	byBackend := map[string][]Record{}
	for _, j := range jobs {
		runs := j.Status == Running || j.Status == Stopping
		if j.Host != "" && runs && j.Link == LinkOK {
			byBackend[j.Backend] = append(byBackend[j.Backend], Record{
				ID:  j.ID,
				Dir: e.root.Dir(string(j.ID)),
				Job: j,
			})
		}
	}
	used := map[ID]Used{}
	for name, rs := range byBackend {
		if m, ok := e.backend(name).(Measurer); ok {
			maps.Copy(used, m.Measure(ctx, rs))
		}
	}
	return used
}

// processesOf returns the processes of a job; ok is false if its record has none.
func (e *Engine) processesOf(j Job) (ref proc.JobRef, ok bool) {
	st, err := jobdir.ReadState(e.root.Dir(string(j.ID)))
	if err != nil {
		return ref, false
	}
	ref = proc.JobRef{
		Leader:  st.Leader,
		Session: st.Session,
		Holder:  st.Holder,
	}
	for _, p := range j.Exit.Survivors {
		ref.Known = append(ref.Known, p.Identity())
	}
	if j.Kind == KindVirtual || st.Holder == proc.Self() {
		ref.Holder = proc.Identity{} // a program with child processes of its own
	}
	// Between two runs there is no leader, but there may be daemons.
	return ref, !ref.Leader.IsZero() || !ref.Holder.IsZero()
}

// forget deletes samples that are too old to compare with.
func (g *gauge) forget(now time.Time) {
	maps.DeleteFunc(g.samples, func(_ ID, s *sample) bool { return now.Sub(s.at) > sampleLife })
}

// sampleOf returns the last sample of a job, which is new if there is none.
func (g *gauge) sampleOf(id ID) *sample {
	s := g.samples[id]
	if s == nil {
		if g.samples == nil {
			g.samples = map[ID]*sample{}
		}
		s = &sample{}
		g.samples[id] = s
	}
	return s
}

// fillUsed adds what a host has measured.
func (g *gauge) fillUsed(j *Job, u Used, now time.Time) {
	s := g.sampleOf(j.ID)
	past, spent := now.Sub(s.at), max(0, u.CPU-s.used)
	if s.at.IsZero() { // the average so far
		past, spent = j.Uptime(now), u.CPU
	}
	percent := 0.0
	if past > 0 {
		percent = 100 * spent.Seconds() / past.Seconds()
	}
	s.at, s.used = now, u.CPU
	j.CPU, j.RSS, j.Ports = &percent, u.RSS, u.Ports
}

func (g *gauge) fill(j *Job, procs []proc.Process, now time.Time) {
	if len(procs) == 0 {
		return
	}
	s := g.sampleOf(j.ID)
	s.at = now
	u := s.meter.Sample(procs, now)
	percent := u.Percent
	if !u.Measured { // the average so far
		if up := j.Uptime(now); up > 0 {
			percent = 100 * u.CPU.Seconds() / up.Seconds()
		}
	}
	j.CPU, j.RSS, j.Ports = &percent, u.RSS, proc.PortsOf(procs)
}
