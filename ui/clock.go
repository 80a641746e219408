package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// clock is the chain of ticks that updates times on screen. A faster chain replaces a slower one.
type clock struct {
	every time.Duration // 0: it stands
	chain int
}

// tickEvery returns how often a time on screen changes; 0: never.
func (p *Pane) tickEvery() time.Duration {
	if p.view.empty() {
		return 0
	}
	if a := p.fore.attached(); a != nil {
		if p.jobs.running(a.id) {
			return p.second()
		}
		return 0
	}
	return p.jobs.timesChange(p.now, p.second())
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
	for _, j := range p.jobs.all {
		if j.sample(p.now) && j.ID == p.output.id {
			p.showFacts(j)
		}
	}
	return p.tick()
}
