package engine

import "github.com/hobjobs/hob/internal/jobdir"

// A Hold keeps the log limit from dropping output that its owner has not read yet, so that a copy
// of the output is complete. Meanwhile the logs may exceed their limit. A hold ends with the
// process that has it, at the latest. It has no effect for jobs on hosts and on systems without
// byte-range file locks: a reader that needs all output must also check the logs for holes. The
// zero value is for [WithHold]. A Hold must not be used concurrently.
type Hold struct{ holds *jobdir.Holds }

// WithHold makes h hold everything that the job writes, from its first byte. The caller closes h,
// even if the start fails.
func WithHold(h *Hold) StartOption { return func(o *startOptions) { o.hold = h } }

// Hold returns a hold on the existing and the future output of j.
func (e *Engine) Hold(j Job) *Hold {
	h := &Hold{}
	h.hold(e.root.Dir(string(j.ID)), j)
	return h
}

// hold ignores errors: the reader detects missing output by its holes.
func (h *Hold) hold(dir string, j Job) {
	if j.Host != "" {
		return
	}
	h.holds = jobdir.NewHolds(dir)
	for _, s := range j.Streams() {
		_ = h.holds.Hold(s.File(), 0)
	}
}

// Release releases the part of a stream before the offset off.
func (h *Hold) Release(s Stream, off int64) {
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
