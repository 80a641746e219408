package joblog

import (
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// A Hold keeps the log limit from dropping output that its owner has not read yet, so that a copy
// of the output is complete. Meanwhile the logs may exceed their limit. A hold ends with the
// process that has it, at the latest. It has no effect for jobs on hosts and on systems without
// byte-range file locks: a reader that needs all output must also check the logs for holes. The
// zero value holds nothing yet. A Hold must not be used concurrently.
type Hold struct{ holds *jobdir.Holds }

// Begin begins to hold streams of the job with that directory, from their first byte. The engine calls it.
// Errors are ignored: the reader detects missing output by its holes.
func (h *Hold) Begin(dir string, streams ...record.Stream) {
	h.holds = jobdir.NewHolds(dir)
	for _, s := range streams {
		_ = h.holds.Hold(s.File(), 0)
	}
}

// Release releases the part of a stream before the offset off.
func (h *Hold) Release(s record.Stream, off int64) {
	if h.holds != nil {
		_ = h.holds.Hold(s.File(), off) // Close releases the rest
	}
}

// Close releases everything. Further calls do nothing.
func (h *Hold) Close() error {
	if h.holds == nil {
		return nil
	}
	holds := h.holds
	h.holds = nil
	return holds.Close()
}
