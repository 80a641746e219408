package ssh

import (
	"context"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/hostjob"
)

var _ engine.Measurer = (*Backend)(nil)

// Measure implements [engine.Measurer], for jobs that have a holder on a connected host.
func (b *Backend) Measure(ctx context.Context, rs []engine.Record) map[engine.ID]engine.Used {
	var mu sync.Mutex
	used := map[engine.ID]engine.Used{}
	held, _ := splitRecords(rs, isHeld)
	var wg sync.WaitGroup
	for name, rs := range grouped(held, func(r *engine.Record) string { return hostName(*r) }) {
		wg.Go(func() {
			for id, u := range b.host(name).measure(ctx, rs) {
				mu.Lock()
				used[id] = u
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return used
}

// measure asks the host, if it is connected, what the jobs rs use.
func (h *host) measure(ctx context.Context, rs []engine.Record) map[engine.ID]engine.Used {
	c := h.connected()
	if c == nil {
		return nil
	}
	used := map[engine.ID]engine.Used{}
	for base, rs := range h.b.byBase(rs, c.Host.Base) {
		args := append([]string{"measure", base}, ids(h.b, rs)...)
		var found hostjob.Measured
		if err := h.askHolder(ctx, slow, h.speakerOf(c, &rs[0]), nil, &found, askOptions{mayShare: true, looks: true}, args...); err != nil {
			continue // the columns stay empty
		}
		for _, r := range rs {
			if u, ok := found[remoteID(h.b.HostDir(r))]; ok {
				used[r.ID] = engine.Used{CPU: u.CPU.Duration(), RSS: u.RSS, Ports: append([]int{}, u.Ports...)}
			}
		}
	}
	return used
}
