package engine

import "context"

// lookedAtLocked reports whether anybody looks closely at the job.
func (h *hub) lookedAtLocked(id ID) bool {
	for s := range h.wants {
		if s.looksAt(id) {
			return true
		}
	}
	return false
}

// pace has the jobs followed as closely as anybody looks at them now.
func (h *hub) pace() {
	h.paceMu.Lock()
	defer h.paceMu.Unlock()
	h.mu.Lock()
	var change []*known
	for id, k := range h.jobs {
		if k.f != nil && k.looks != h.lookedAtLocked(id) {
			change = append(change, k)
		}
	}
	h.mu.Unlock()
	for _, k := range change {
		k.looks = !k.looks
		if k.looks {
			k.f.look(1)
		} else {
			k.f.look(-1)
		}
	}
}

// join begins to follow a job that somebody wants. Without success it is looked at
// again later, see incomplete.
func (h *hub) join(ctx context.Context, id ID) {
	h.mu.Lock()
	k := h.jobs[id]
	follow := k != nil && k.release == nil && !k.job.Status.Finished() && k.job.Link != LinkElsewhere && h.wantedLocked(id)
	if k != nil {
		k.tried = true
	}
	h.mu.Unlock()
	if !follow {
		return
	}
	f, release, err := h.e.glanceAt(ctx, id)
	if err != nil {
		return
	}
	if !h.take(k, f, release) {
		release()
	}
}

// take has k kept current by f, of which release lets go; false if another one
// was faster, or it is gone.
func (h *hub) take(k *known, f *follow, release func()) bool {
	h.paceMu.Lock()
	defer h.paceMu.Unlock()
	h.mu.Lock() // what f says from now on waits for what it says now
	defer h.mu.Unlock()
	if k.release != nil || h.jobs[f.id] != k {
		return false
	}
	now, silence := f.listen(func(s step) { h.heard(f.id, s) })
	if k.looks = h.lookedAtLocked(f.id); k.looks {
		f.look(1)
	}
	k.f, k.release = f, func() {
		silence()
		h.paceMu.Lock()
		if k.looks {
			f.look(-1)
		}
		k.looks, k.f = false, nil
		h.paceMu.Unlock()
		release()
	}
	h.updateLocked(k, step{old: k.job, new: now})
	return true
}
