package holder

import (
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/vt"
)

// maxReplies limits the emulator's replies that the job has not read, in bytes. Further ones are
// dropped, as excess input of a terminal is.
const maxReplies = 64 << 10

// Output appends p to the log, and passes it to the emulator and the viewers. It never fails and waits
// only for the disk. It must not be called concurrently.
func (h *Holder) Output(p []byte) {
	if len(p) == 0 {
		return
	}
	h.outputMu.Lock()
	at := h.offset // only written here, so the lock is not needed
	if at+int64(len(p)) >= reserveOutput && !h.reserved.Load() {
		h.ReserveEnd()
	}
	h.logging.begin(h.diskChanged)
	h.recordTime(at)      // first: a client that reads the output finds its time
	_, _ = h.out.Write(p) // never fails
	st := h.out.Stats()
	h.logging.end(h.diskChanged)

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
	h.mu.Unlock()
	h.outputMu.Unlock()
}

// logged records the state of the log, and reports whether it has changed. h.mu is held.
func (h *Holder) logged(st logfile.Stats) bool {
	if st.LimitErr != nil {
		h.state.NoLimit = true
	}
	dropped := st.Hole.Len() + st.Lost
	news := dropped != h.state.Dropped
	h.state.Dropped = dropped
	return news
}

// Trim enforces the limit of the log for output that readers had held. It reports whether they still
// keep the log above its limit. Only the caller of Output may call it.
func (h *Holder) Trim() (over bool) {
	over = h.out.Trim()
	h.mu.Lock()
	news := h.logged(h.out.Stats())
	h.mu.Unlock()
	if news {
		_ = h.save() // if it fails, the record of the end remains
	}
	return over
}

// Held returns the function that reports which bytes of a log are held by readers.
func (h *Holder) Held(name string) logfile.HeldFunc {
	return func(from, to int64) int64 { return h.holds.FirstHeld(name, from, to) }
}

// OwnSizes sets the function that returns the total size of the logs that a job writes itself. Grew
// must be called when they have grown.
func (h *Holder) OwnSizes(sizes func() int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sizes = sizes
}

// Grew notifies the subscribers that the job's own logs have grown.
func (h *Holder) Grew() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		c.changed(false)
	}
}

// reply queues a reply of the emulator. A goroutine types it, because the job may not read. h.mu
// is held.
func (h *Holder) reply(p []byte) {
	if h.cfg.Hooks.Input == nil || h.closing || len(h.replies)+len(p) > maxReplies {
		return
	}
	h.replies = append(h.replies, p...)
	if !h.replying {
		h.replying = true
		h.wg.Go(h.sendReplies)
	}
}

// sendReplies types the emulator's replies, in order, until none is left.
func (h *Holder) sendReplies() {
	for {
		h.mu.Lock()
		p := h.replies
		h.replies = nil
		h.replying = len(p) > 0
		h.mu.Unlock()
		if len(p) == 0 {
			return
		}
		_ = h.cfg.Hooks.Input(h.ctx, p) // a job that queries but does not read gets no reply
	}
}

// recordTime records the time of the output at offset.
func (h *Holder) recordTime(offset int64) {
	now := time.Now()
	h.timesMu.Lock()
	defer h.timesMu.Unlock()
	if h.times == nil {
		if h.noTimes {
			return
		}
		w, err := jobdir.CreateTimes(h.cfg.Dir)
		if err != nil {
			h.noTimes = true // times are optional
			return
		}
		h.times = w
	}
	_ = h.times.Add(offset, now, h.timesSize) // likewise
}

// recordHole records a hole before its bytes are freed. If the disk is full, the bytes are freed
// without a record. That makes space for it, and [Holder.Output] writes it then.
func (h *Holder) recordHole(hole logfile.Hole) {
	h.mu.Lock()
	h.state.Hole, h.state.HoleLines = record.Range{Start: hole.Start, End: hole.End}, hole.Lines
	h.mu.Unlock()
	_ = h.save()
}

// RunEnded records the end of a run of the job's command, which is started again at next.
func (h *Holder) RunEnded(end record.Exit, next time.Time) {
	h.mu.Lock()
	st := &h.state
	if h.ending || st.Runs == nil {
		h.mu.Unlock()
		return
	}
	h.mu.Unlock()
	end.Summary = h.summaryOf(&end)
	h.findFinalReports()
	h.mu.Lock()
	h.clock(&end)
	stopping := st.Stopping
	h.stateLocked()
	h.endProgramLocked()
	st.Rest()
	st.Stopping = stopping
	st.Leader, st.StartedUp = record.Identity{}, 0
	st.Runs = &record.Runs{
		Count:    st.Runs.Count,
		NextAt:   next,
		Last:     &end,
		Failures: st.Runs.FailuresAfter(end),
	}
	st.Pending = &record.Pending{Reason: st.Runs.Reason(h.cfg.Meta.Restart, end.At)}
	h.changedLocked(true)
	offset := h.outputLocked()
	counted := h.facts.allow("run_ended", end.At)
	h.mu.Unlock()
	_ = h.save() // saveIn, called before, retries
	if counted {
		h.fact(jobdir.Fact{
			At:     end.At,
			Kind:   "run_ended",
			Offset: offset,
			Code:   end.Code,
			Signal: end.Signal,
		})
	}
}

// RunLeft adds the processes that all runs so far left running to the record of the last run. If the holder
// dies, this record may be the only proof that they belong to the job.
func (h *Holder) RunLeft(left []record.Process) {
	h.mu.Lock()
	if state, ok := h.state.LastRun(); ok {
		last, runs := state.Exit, *state.Runs
		last.Survivors = left
		runs.Last = &last
		h.state.Runs = &runs
	}
	h.mu.Unlock()
	_ = h.save() // the next change is saved, too
}

// RunBegins counts the next run, whose command is about to be started.
func (h *Holder) RunBegins() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.program.Clear()
	h.lastReport, h.noted = record.ProgramReport{}, record.ProgramReport{}
	h.state.Program, h.state.LastCommand = nil, nil
	last := h.state.Runs
	h.state.Runs = &record.Runs{
		Count:    last.Count + 1,
		Last:     last.Last,
		Failures: last.Failures,
	}
}

// RunStable records that the run after the given number of restarts has lasted for [record.StableAfter], unless
// that run has ended.
func (h *Holder) RunStable(restarts int) {
	h.mu.Lock()
	runs := h.state.Runs
	switch {
	case h.ending, h.state.Exit.Known(), !runs.Failing(), runs.Count != restarts:
		h.mu.Unlock()
		return
	}
	h.state.Runs = &record.Runs{Count: runs.Count, Last: runs.Last}
	h.changedLocked(true)
	h.mu.Unlock()
	_ = h.save() // the next change is saved, too
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
