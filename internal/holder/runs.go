package holder

import (
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/vt"
)

// RunEnded records the end of a run of the job's command, which is started again at next.
func (h *Holder) RunEnded(end record.Exit, next time.Time) {
	h.mu.Lock()
	st := &h.state
	if h.ending || st.Runs == nil {
		h.mu.Unlock()
		return
	}
	h.clock(&end)
	stopping := st.Stopping
	st.Rest()
	st.Stopping = stopping
	st.Leader, st.StartedUp = record.Identity{}, 0
	st.Runs = &record.Runs{Count: st.Runs.Count, NextAt: next, Last: &end}
	st.Pending = &record.Pending{Reason: st.Runs.Reason(h.cfg.Meta.Restart, end.At)}
	h.changedLocked(true)
	offset := h.outputLocked()
	counted := h.facts.allow("run_ended", end.At)
	h.mu.Unlock()
	_ = h.save() // saveIn, called before, retries
	if counted {
		h.fact(jobdir.Fact{At: end.At, Kind: "run_ended", Offset: offset, Code: end.Code, Signal: end.Signal})
	}
}

// RunBegins counts the next run, whose command is about to be started.
func (h *Holder) RunBegins() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Runs = &record.Runs{Count: h.state.Runs.Count + 1, Last: h.state.Runs.Last}
}

// ResetScreen puts the terminal into its initial modes, on a new line of the main screen, and prints
// text there. It is part of the output, so that every reader of it does the same.
func (h *Holder) ResetScreen(text string) {
	h.mu.Lock()
	p := vt.ResetModes(h.term.Modes().Alternate)
	if h.term.Cursor().X > 0 {
		p = append(p, "\r\n"...)
	}
	h.mu.Unlock()
	h.Output(append(p, text...))
}
