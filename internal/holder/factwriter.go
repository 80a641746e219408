package holder

import (
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// factWriter adds the facts of a job to its events in the order in which they happened. Many of them happen while Holder.mu
// is held, which is never held while a disk is used: they are queued then, and written later.
type factWriter struct {
	writing sync.Mutex    // held while the queued facts are written; taken before Holder.mu
	queued  []jobdir.Fact // guarded by Holder.mu
}

// limitedFact adds a fact that the job can cause at any rate, and reports whether the limits allow that. h.mu is held.
func (h *Holder) limitedFact(f jobdir.Fact) bool {
	f.At = time.Now()
	if h.closing || !h.facts.allow(f.Kind, f.At) {
		return false
	}
	f.Offset = h.offset
	h.factLocked(f)
	return true
}

// factLocked adds a fact while h.mu is held.
func (h *Holder) factLocked(f jobdir.Fact) {
	h.factWriter.queued = append(h.factWriter.queued, f)
	h.wg.Go(h.writeFacts)
}

// fact adds a fact. It returns when that is written; h.mu must not be held.
func (h *Holder) fact(f jobdir.Fact) {
	h.mu.Lock()
	h.factWriter.queued = append(h.factWriter.queued, f)
	h.mu.Unlock()
	h.writeFacts()
}

// writeFacts writes the facts that are queued. Errors are ignored: on a full disk the history has gaps.
func (h *Holder) writeFacts() {
	h.factWriter.writing.Lock()
	defer h.factWriter.writing.Unlock()
	h.mu.Lock()
	queued := h.factWriter.queued
	h.factWriter.queued = nil
	h.mu.Unlock()
	for _, f := range queued {
		_ = jobdir.AppendFact(h.cfg.Dir, f)
	}
}
