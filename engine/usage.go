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
}

// sampleLife is how long a sample is kept: the difference to an older one says little about current
// usage, and the job may be gone.
const sampleLife = time.Hour

// MeasureAll returns jobs, as [Engine.List] returns them, with their current CPU, RSS and Ports where
// they can be determined: for running jobs on this machine that have a process. List omits these,
// since finding them reads all processes of the machine.
func (e *Engine) MeasureAll(jobs []Job) []Job {
	var refs []proc.JobRef
	var at []int
	for i, j := range jobs {
		if j.Host != "" || j.Status.Finished() || j.Leader.PID == 0 || j.Link == LinkElsewhere {
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
	defer g.scan.Close()
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
	if err != nil || st.Leader.IsZero() {
		return ref, false
	}
	ref = proc.JobRef{Leader: st.Leader, Session: st.Session, Holder: st.Holder}
	if j.Kind == KindVirtual || st.Holder == proc.Self() {
		ref.Holder = proc.Identity{} // a program with child processes of its own
	}
	return ref, true
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

const (
	// measureFirst is the delay of the first measurement: it reads all processes of the machine,
	// and usage is not the first thing to show.
	measureFirst = 300 * time.Millisecond
	// idlePause is the factor by which idle jobs are measured less often.
	idlePause = 4
)

// measureAll publishes the usage of running jobs periodically until ctx is done, less often while
// nothing changes.
func (k *tracking) measureAll(ctx context.Context, every time.Duration) {
	pause, passed := 1, 1 // in units of every
	tick := time.NewTimer(min(every, measureFirst))
	defer tick.Stop()
	for ; ; passed++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			tick.Reset(every)
		}
		if passed < pause {
			continue
		}
		pause, passed = min(2*pause, idlePause), 0
		if k.measure() {
			pause = 1
		}
	}
}

// measure reports whether any job's usage has changed visibly.
func (k *tracking) measure() (changed bool) {
	k.mu.Lock()
	var jobs []Job
	for _, t := range k.trackers {
		if t.listed && !t.job.Status.Finished() {
			jobs = append(jobs, t.job)
		}
	}
	k.mu.Unlock()
	jobs = k.e.MeasureAll(jobs)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.measuredLocked(jobs)
}

// measuredLocked applies measurements and publishes visible changes.
func (k *tracking) measuredLocked(jobs []Job) (changed bool) {
	for _, j := range jobs {
		t := k.trackers[j.ID]
		if t == nil || t.job.Status.Finished() || j.CPU == nil {
			continue
		}
		t.job.CPU, t.job.RSS, t.job.Ports = j.CPU, j.RSS, j.Ports
		if now := usageOf(&j); now.differs(t.published) {
			t.published = now
			t.publishLocked(nil, []fact{{kind: EventTitle, offset: t.job.Output, at: k.e.cfg.now()}})
			changed = true
		}
	}
	return changed
}

// use is a job's usage as published.
type use struct {
	cpu   *float64
	rss   int64
	ports []int
}

func usageOf(j *Job) use { return use{j.CPU, j.RSS, j.Ports} }

// differs reports whether the difference from the published usage is visible to the user. Many
// small changes add up to a visible one.
func (u use) differs(before use) bool {
	if before.cpu == nil || !slices.Equal(before.ports, u.ports) {
		return true
	}
	const percent, part = 1, 20
	diff, grown := *u.cpu-*before.cpu, u.rss-before.rss
	return diff >= percent || diff <= -percent || grown > before.rss/part || -grown > before.rss/part
}
