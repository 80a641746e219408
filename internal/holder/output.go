package holder

import (
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// maxReplies bounds what the emulator may answer to one piece of output.
const maxReplies = 64 << 10

// Output appends p to the log, shows it to the emulator and to whoever watches.
// It has one caller at a time, never fails and waits for nothing but the disk.
func (h *Holder) Output(p []byte) {
	if len(p) == 0 {
		return
	}
	h.outputMu.Lock()
	at := h.offset        // written here alone, so it may be read without the lock
	_, _ = h.out.Write(p) // counts what it cannot write
	st := h.out.Stats()
	h.moment(at)
	// Whoever holds saveMu may be waiting for the disk. The next output tries again.
	if st.Size >= settleOutput && !h.aside.Load() && h.saveMu.TryLock() {
		h.setAside()
		h.saveMu.Unlock()
	}

	h.mu.Lock()
	h.offset = st.Size
	if h.logged(st) {
		h.saveIn(savePause)
	}
	if h.term != nil {
		h.term.Write(p)
		if alt := h.term.Modes().Alternate; alt != h.state.Alternate {
			h.state.Alternate = alt
			h.changedLocked(false)
		}
	}
	for c := range h.conns {
		c.output(p, h.offset)
	}
	asked := len(h.replies) > 0
	h.mu.Unlock()
	h.outputMu.Unlock()
	if asked {
		h.sendReplies()
	}
}

// logged takes notice of how the log stands, and reports whether that is news. h.mu
// is held.
func (h *Holder) logged(st logfile.Stats) bool {
	h.state.NoLimit = h.state.NoLimit || st.CapErr != nil
	dropped := st.Hole.Len() + st.Lost
	news := dropped != h.state.Dropped
	h.state.Dropped = dropped
	return news
}

// Trim frees what readers of the log have taken since it was printed, and reports
// whether they hold more back. It is for the caller of Output.
func (h *Holder) Trim() (over bool) {
	over = h.out.Trim()
	h.mu.Lock()
	news := h.logged(h.out.Stats())
	h.mu.Unlock()
	if news {
		_ = h.save() // what was recorded with the end stands
	}
	return over
}

// Held returns what readers of the log of that name have not taken yet.
func (h *Holder) Held(name string) logfile.Held {
	return func(from, to int64) int64 { return h.holds.First(name, from, to) }
}

// OwnSizes tells the holder of a job that writes its own logs how to find out
// how far they reach; Grew that they have grown.
func (h *Holder) OwnSizes(sizes func() int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sizes = sizes
}

// Grew tells the subscribers that the job's own logs have grown.
func (h *Holder) Grew() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		c.changed(false)
	}
}

// reply collects the emulator's answers; it is called with h.mu held.
func (h *Holder) reply(p []byte) {
	if h.cfg.Hooks.Reply != nil && len(h.replies)+len(p) <= maxReplies {
		h.replies = append(h.replies, p...)
	}
}

// sendReplies sends the job the emulator's answers, in the order in which they were
// given.
func (h *Holder) sendReplies() {
	h.replyMu.Lock()
	defer h.replyMu.Unlock()
	h.mu.Lock()
	p := h.replies
	h.replies = nil
	h.mu.Unlock()
	if len(p) > 0 {
		h.cfg.Hooks.Reply(p)
	}
}

// moment notes the time of the output at offset.
func (h *Holder) moment(offset int64) {
	now := time.Now()
	h.timesMu.Lock()
	defer h.timesMu.Unlock()
	if h.times == nil {
		if h.noTimes {
			return
		}
		w, err := jobdir.CreateTimes(h.cfg.Dir)
		if err != nil {
			h.noTimes = true // times are a comfort: the log goes on without
			return
		}
		h.times = w
	}
	_ = h.times.Add(offset, now, h.timesSize) // likewise
}

// recordHole writes down what the cap is about to free. On a disk that takes no
// record bytes are freed all the same, which makes room for it: [Holder.Output] has it
// written then.
func (h *Holder) recordHole(hole logfile.Hole) {
	h.mu.Lock()
	h.state.Hole, h.state.HoleLines = record.Range{Start: hole.Start, End: hole.End}, hole.Lines
	h.mu.Unlock()
	_ = h.save()
}
