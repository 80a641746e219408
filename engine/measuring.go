package engine

import (
	"context"
	"math"
	"slices"
	"time"
)

const (
	// measureFirst is the delay of the first measurement: it reads all processes of the machine,
	// and usage is not the first thing to show.
	measureFirst = 300 * time.Millisecond
	// idlePause is the factor by which idle jobs are measured less often.
	idlePause = 4
)

// measureAll publishes the usage of running jobs periodically until ctx is done, less often while
// nothing changes, and soon after other jobs are to be measured.
func (k *tracking) measureAll(ctx context.Context, every time.Duration) {
	pause, passed := 1, 1 // in units of every
	first, soon := min(every, measureFirst), true
	tick := time.NewTimer(first)
	defer tick.Stop()
	for ; ; passed++ {
		select {
		case <-ctx.Done():
			return
		case <-k.measureOthers:
			pause = 1
			if !soon { // otherwise requests in quick succession would postpone the measurement again and again
				tick.Reset(first)
				soon = true
			}
			continue
		case <-tick.C:
			tick.Reset(every)
			soon = false
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
		if t.listed && !t.job.Status.Finished() && k.needsUsageLocked(t.id) {
			jobs = append(jobs, t.job)
		}
	}
	k.mu.Unlock()
	jobs = k.e.MeasureAll(jobs)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.measuredLocked(jobs)
}

// needsUsageLocked reports whether a subscription needs the usage of the job.
func (k *tracking) needsUsageLocked(id ID) bool {
	for s := range k.subs {
		if s.covers(id) && (s.measured == nil || s.measured[id]) {
			return true
		}
	}
	return false
}

// Measure limits the measurement of CPU usage, memory and ports ([WithUsage]) to these jobs, usually those on
// screen. Before the first call, the usage of all jobs is measured. It may be called at any time, concurrently,
// and does not block.
func (s *Subscription) Measure(ids ...ID) {
	measured := make(map[ID]bool, len(ids))
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	others := false
	for _, id := range ids {
		measured[id] = true
		others = others || !s.measured[id]
	}
	s.measured = measured
	if !others {
		return
	}
	select {
	case s.k.measureOthers <- struct{}{}:
	default:
	}
}

// measuredLocked applies measurements and publishes visible changes.
func (k *tracking) measuredLocked(jobs []Job) (changed bool) {
	for _, j := range jobs {
		t := k.trackers[j.ID]
		switch {
		case t == nil, t.job.Status.Finished(), j.CPU == nil:
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
