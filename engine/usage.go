package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
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
		if j.Host != "" || j.Link == LinkElsewhere {
			continue
		}
		if j.Status.Finished() || j.Leader.PID == 0 {
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
	ref = proc.JobRef{Leader: st.Leader, Session: st.Session, Holder: st.Holder}
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
		if now := (use{j.CPU, j.RSS, j.Ports}); now.differs(t.published) {
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

// differs reports whether the difference from the published usage is visible to the user. Many
// small changes add up to a visible one.
func (u use) differs(before use) bool {
	if before.cpu == nil || !slices.Equal(before.ports, u.ports) {
		return true
	}
	const percent, part = 1, 20
	grown := u.rss - before.rss
	return math.Abs(*u.cpu-*before.cpu) >= percent || max(grown, -grown) > before.rss/part
}

const (
	// firstPort and ports are the range of AutoPort: above the ports that servers use by default,
	// below those that systems give to clients (from 32768 on Linux).
	firstPort = 20_000
	ports     = 10_000
)

// freePort returns a port for a job that asks for AutoPort. A server needs a moment to listen, so the
// ports that unfinished jobs were given count as in use.
func (e *Engine) freePort(ctx context.Context, s Spec) (int, error) {
	jobs, err := e.List(ctx, Filter{Running: true})
	if err != nil {
		return 0, err
	}
	given := map[int]bool{}
	for _, j := range jobs {
		given[j.Port] = true
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.Dir + "\x00" + s.Name)) // never fails
	for i := range uint32(ports) {
		port := firstPort + int((h.Sum32()+i)%ports)
		if !given[port] && isFree(ctx, port) {
			return port, nil
		}
	}
	return 0, &Error{Op: "start", Err: fmt.Errorf("no port from %d to %d is free", firstPort, firstPort+ports-1)}
}

// isFree reports whether a server can listen on a port, on all addresses and on that of this machine
// alone: the latter succeeds on some systems although another server has the former.
func isFree(ctx context.Context, port int) bool {
	var lc net.ListenConfig
	for _, host := range []string{"", "127.0.0.1"} {
		l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return false
		}
		if l.Close() != nil {
			return false
		}
	}
	return true
}

// Listener is a process of this machine that listens on a TCP port.
type Listener struct {
	Addr    netip.AddrPort `json:"address"`
	PID     int            `json:"pid"`
	Command []string       `json:"command"`
	Job     ID             `json:"job,omitempty"` // empty: the process belongs to no job
	Name    string         `json:"name,omitempty"`
}

// String describes the listener, as in "pid 4711 of web-7k2qm listens on 127.0.0.1:3000: node
// server.js". It contains text of other programs: clean or escape it.
func (l Listener) String() string {
	text := "pid " + strconv.Itoa(l.PID)
	if l.Job != "" {
		text += " of " + string(l.Job)
	}
	return text + " listens on " + l.Addr.String() + ": " + strings.Join(l.Command, " ")
}

// Listeners returns the processes that listen on a TCP port of this machine, with their jobs. A
// process whose descriptors this program may not read is not found. It returns ErrUnsupported on a
// system other than Linux.
func (e *Engine) Listeners(ctx context.Context, port int) ([]Listener, error) {
	var scan proc.Scanner
	procs, err := scan.Scan()
	if err != nil {
		return nil, opError("find listeners", Job{}, err)
	}
	ports, err := proc.ListeningPorts(procs)
	if err != nil {
		return nil, opError("find listeners", Job{}, err)
	}
	ports = slices.DeleteFunc(ports, func(p proc.Port) bool { return int(p.Addr.Port()) != port })
	if len(ports) == 0 {
		return nil, nil
	}
	owners, err := e.owners(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]Listener, 0, len(ports))
	for _, p := range ports {
		argv, _ := proc.Cmdline(p.PID)
		j := owners[p.PID]
		found = append(found, Listener{Addr: p.Addr, PID: p.PID, Command: argv, Job: j.ID, Name: j.Name})
	}
	return found, nil
}

// owners returns the jobs of this machine by the pids of their processes, also those that jobs which
// have ended left running.
func (e *Engine) owners(ctx context.Context) (map[int]Job, error) {
	jobs, err := e.List(ctx, Filter{Here: true})
	if err != nil {
		return nil, err
	}
	owners := map[int]Job{}
	for _, j := range jobs {
		if j.Status.Finished() && len(j.Exit.Survivors) == 0 {
			continue
		}
		ref, ok := e.processesOf(j)
		if !ok {
			continue
		}
		procs, err := proc.Members(ref)
		if err != nil {
			return nil, opError("find the processes of", j, err)
		}
		for _, p := range procs {
			owners[p.PID] = j
		}
	}
	return owners, nil
}
