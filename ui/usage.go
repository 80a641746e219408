package ui

import (
	"time"

	"github.com/hobjobs/hob/ui/components/detail"
)

const (
	// sampleEvery is the time per column of a graph. Usage is rarely measured more often.
	sampleEvery = 5 * time.Second
	// maxSamples is the number of samples kept per job: ten minutes.
	maxSamples = 120
)

// usage has the resource usage of a running job in the last minutes. Its size is bounded.
type usage struct {
	samples []detail.Sample // oldest first
	slot    time.Time       // time of the last sample
}

// add records the current usage. It replaces a sample in the same slot; skipped slots are empty.
// It reports whether anything changed.
func (u *usage) add(now time.Time, s detail.Sample) bool {
	slot := now.Truncate(sampleEvery)
	n := len(u.samples)
	if !slot.After(u.slot) { // not at first
		changed := u.samples[n-1] != s
		u.samples[n-1] = s
		return changed
	}
	if n > 0 {
		for at := u.slot.Add(sampleEvery); at.Before(slot) && len(u.samples) < n+maxSamples; at = at.Add(sampleEvery) {
			u.samples = append(u.samples, detail.Sample{CPU: -1})
		}
	}
	u.samples, u.slot = append(u.samples, s), slot
	if extra := len(u.samples) - maxSamples; extra > 0 {
		u.samples = append(u.samples[:0], u.samples[extra:]...)
	}
	return true
}

// sample records the current usage of a running job if it is known, and reports whether anything
// changed.
func (j *job) sample(now time.Time) bool {
	if j.Status.Finished() || j.CPU == nil {
		had := len(j.usage.samples) > 0
		j.usage = usage{}
		return had
	}
	return j.usage.add(now, detail.Sample{CPU: *j.CPU, Memory: j.RSS})
}
