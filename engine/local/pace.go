package local

import (
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/holder"
)

// glancePause is how often a holder tells of output to who only glances at the job.
const glancePause = time.Second

// pace is how closely a run is watched. The holder is told when that changes, by a
// goroutine that lives until it knows.
type pace struct {
	mu      sync.Mutex // guards what follows
	glances bool
	told    bool           // what the holder believes of glances
	client  *holder.Client // that watches; nil: none does
	telling bool
	wg      sync.WaitGroup
}

// Glance implements [engine.Glancer].
func (r *Run) Glance(on bool) {
	p := &r.pace
	p.mu.Lock()
	defer p.mu.Unlock()
	p.glances = on
	p.tellLocked(r)
}

func (p *pace) tellLocked(r *Run) {
	if p.client == nil || p.telling || p.told == p.glances {
		return
	}
	p.telling = true
	p.wg.Go(func() { p.tell(r) })
}

// tell ends when the holder knows, or nobody watches any longer.
func (p *pace) tell(r *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.client != nil && p.told != p.glances {
		c, want := p.client, p.glances
		p.mu.Unlock()
		err := c.Tell(holder.TypeSubscribe, r.subscribe(want))
		p.mu.Lock()
		if err != nil {
			break // the connection is closed; the next one is told at its begin
		}
		p.told = want
	}
	p.telling = false
}

// begin makes c the client whose pace changes, unless there is one: told is what
// it was told already. The end of the watching calls the function it returns.
func (p *pace) begin(r *Run, c *holder.Client, told bool) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client != nil {
		return func() { _ = c.Close() }
	}
	p.client, p.told = c, told
	p.tellLocked(r)
	return func() {
		p.mu.Lock()
		p.client = nil
		p.mu.Unlock()
		_ = c.Close() // what is being told fails
		p.wg.Wait()
	}
}

func (p *pace) now() (glances bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.glances
}

func (r *Run) subscribe(glances bool) holder.Subscribe {
	s := holder.Subscribe{Shows: r.b.shows}
	if glances {
		s.PaceMS = glancePause.Milliseconds()
	}
	return s
}
