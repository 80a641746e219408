package engine

import "github.com/hobjobs/hob/internal/jobdir"

// A Hold keeps the limit of a job's logs from dropping what its owner has not read
// yet, so that a copy of the output is whole. Until then the logs are longer than
// their limit. It ends with the process that has it, at the latest, and does nothing
// for jobs on hosts and on systems without locks on parts of files: who needs all of
// the output has to look at the holes of the logs too. Its zero value is for
// [WithHold]. It is for one goroutine.
type Hold struct{ holds *jobdir.Holds }

// WithHold has h hold all that the job writes, from its first byte. The caller closes
// it, also after an error of the start.
func WithHold(h *Hold) StartOption { return func(o *startOptions) { o.hold = h } }

// Hold returns a hold of what there is of the logs of j, and of what comes.
func (e *Engine) Hold(j Job) *Hold {
	h := &Hold{}
	h.hold(e.root.Dir(string(j.ID)), j)
	return h
}

// hold does what can be done; that it cannot is seen by what is missing.
func (h *Hold) hold(dir string, j Job) {
	if j.Host != "" {
		return
	}
	h.holds = jobdir.HoldsOf(dir)
	for _, s := range j.Streams() {
		_ = h.holds.Hold(s.File(), 0)
	}
}

// Taken lets go of what a stream has before the offset off.
func (h *Hold) Taken(s Stream, off int64) {
	if h.holds != nil {
		_ = h.holds.Hold(s.File(), off) // what is not let go is let go by Close
	}
}

// Close lets go of everything. The second time it does nothing.
func (h *Hold) Close() error {
	if h.holds == nil {
		return nil
	}
	holds := h.holds
	h.holds = nil
	return holds.Close()
}

// File returns the name of the file in the job directory that has the stream.
func (s Stream) File() string {
	switch s {
	case StreamStdout:
		return jobdir.StdoutFile
	case StreamStderr:
		return jobdir.StderrFile
	case StreamOutput:
	}
	return jobdir.OutputFile
}
