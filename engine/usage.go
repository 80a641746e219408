package engine

import (
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
}

// sampleLife is how long a sample is kept: the difference to an older one says little about current
// usage, and the job may be gone.
const sampleLife = time.Hour

// MeasureAll returns jobs, as [Engine.List] returns them, with their current CPU, RSS and Ports where
// they can be determined: for running jobs on this machine that have a process. List and [Handle.Facts]
// omit these, since finding them reads all processes of the machine.
func (e *Engine) MeasureAll(jobs []Job) []Job {
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
	g := &e.gauge
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

func (g *gauge) fill(j *Job, procs []proc.Process, now time.Time) {
	if len(procs) == 0 {
		return
	}
	s := g.samples[j.ID]
	if s == nil {
		if g.samples == nil {
			g.samples = map[ID]*sample{}
		}
		s = &sample{}
		g.samples[j.ID] = s
	}
	s.at = now
	u := s.meter.Sample(procs, now)
	percent := u.Percent
	if !u.Measured { // the average so far
		if up := j.Uptime(now); up > 0 {
			percent = 100 * u.CPU.Seconds() / up.Seconds()
		}
	}
	j.CPU, j.RSS, j.Ports = &percent, u.RSS, portsOf(procs)
}

// portsOf returns the ports that procs listen on.
func portsOf(procs []proc.Process) []int {
	found, err := proc.ListeningPorts(procs)
	if err != nil {
		return nil
	}
	ports := make([]int, 0, len(found))
	for _, p := range found {
		ports = append(ports, int(p.Addr.Port()))
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}
