package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/detail"
)

// clock is the chain of ticks that updates times on screen. A faster chain replaces a slower one.
type clock struct {
	every time.Duration // 0: it stands
	chain int
}

// tickEvery returns how often a time on screen changes; 0: never.
func (p *Pane) tickEvery() time.Duration {
	if p.w == 0 || p.h == 0 {
		return 0
	}
	if a := p.fore.attached(); a != nil {
		if j, ok := p.jobs[a.id]; ok && !j.Status.Finished() {
			return p.second()
		}
		return 0
	}
	every := time.Duration(0)
	for _, j := range p.jobs {
		if !j.Status.Finished() || p.now.Sub(j.Exit.At) < time.Minute {
			return p.second()
		}
		every = time.Minute // how long ago jobs ended is shown in minutes
	}
	return every
}

// second is a second, or a minute if the screen avoids motion.
func (l *labels) second() time.Duration {
	if l.opts.calm {
		return time.Minute
	}
	return time.Second
}

// tick runs the clock while it changes something on screen.
func (p *Pane) tick() tea.Cmd {
	every := p.tickEvery()
	if every == 0 || p.clock.every != 0 && p.clock.every <= every {
		return nil
	}
	p.clock = clock{every, p.clock.chain + 1}
	t, now, chain := p.tasks, p.opts.clock, p.clock.chain
	return tea.Every(every, func(time.Time) tea.Msg {
		at := now()
		return thenMsg{t, func() tea.Cmd { return p.ticked(chain, at) }}
	})
}

func (p *Pane) ticked(chain int, now time.Time) tea.Cmd {
	if chain != p.clock.chain {
		return nil
	}
	p.clock.every = 0
	p.setNow(now)
	for _, j := range p.jobs {
		if j.advance() {
			p.putRow(j)
		}
		if j.sample(p.now) && j.ID == p.shown.id {
			p.showFacts(j)
		}
	}
	return p.tick()
}

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
	if n > 0 && !slot.After(u.slot) {
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

// samplesOf returns what a job used. Where usage is measured, a job that is not measured yet has
// one sample that is not known, so that its rows have their place from the start.
func (p *Pane) samplesOf(j *job) []detail.Sample {
	if len(j.usage.samples) > 0 || !p.measured {
		return j.usage.samples
	}
	measurable := j.Host == "" && j.Leader.PID != 0 && !j.Status.Finished()
	if !measurable {
		return nil
	}
	return []detail.Sample{{CPU: -1}}
}
