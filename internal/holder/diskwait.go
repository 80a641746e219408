package holder

import (
	"errors"
	"sync/atomic"
	"time"
)

// A busy disk takes a second or two for a write. One that hangs, like that of a server that does not answer, takes
// minutes. diskPatience is how long a write may take before the holder reports to its clients that it waits.
const diskPatience = 4 * time.Second

// ErrDisk means that the holder waits for its disk. Until the disk answers, it reads no output and records nothing.
var ErrDisk = errors.New("its supervisor process waits for the disk")

// diskOp is a kind of write that the holder does one at a time, such as those of the log.
type diskOp struct {
	since atomic.Int64 // when the current one began, in nanoseconds since 1970; 0: there is none
	late  atomic.Bool  // subscribers were notified that it takes long
	timer *time.Timer  // used only by the goroutine that writes
}

// begin must be called before a write. notify is called if the write takes long.
func (o *diskOp) begin(notify func()) {
	o.since.Store(time.Now().UnixNano())
	if o.timer == nil {
		o.timer = time.AfterFunc(diskPatience, func() {
			if o.since.Load() != 0 {
				o.late.Store(true)
				notify()
			}
		})
		return
	}
	o.timer.Reset(diskPatience)
}

// end must be called after the write.
func (o *diskOp) end(notify func()) {
	o.timer.Stop()
	o.since.Store(0)
	if o.late.Swap(false) {
		notify()
	}
}

// waitsSince returns since when a write has taken longer than usual; otherwise the zero time.
func (o *diskOp) waitsSince(now time.Time) time.Time {
	at := o.since.Load()
	if at == 0 || now.Sub(time.Unix(0, at)) < diskPatience {
		return time.Time{}
	}
	return time.Unix(0, at)
}

// diskSince returns since when the holder has waited for its disk, if it has waited for long; otherwise the
// zero time.
func (h *Holder) diskSince() time.Time {
	now := time.Now()
	since := h.logging.waitsSince(now)
	if at := h.saving.waitsSince(now); since.IsZero() || !at.IsZero() && at.Before(since) {
		since = at
	}
	return since
}

// WaitsForDisk returns ErrDisk while the holder waits for a disk that takes long.
func (h *Holder) WaitsForDisk() error {
	if h.diskSince().IsZero() {
		return nil
	}
	return ErrDisk
}

// diskChanged notifies the subscribers that the holder begins or ceases to wait for its disk.
func (h *Holder) diskChanged() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		c.changed(true)
	}
}
