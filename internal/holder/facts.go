package holder

import (
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/vt"
)

const (
	// savePause is how long slow facts (title, progress, directory) may be newer
	// than state.json.
	savePause = 500 * time.Millisecond
	// askPause is the same of what somebody is to answer.
	askPause = 20 * time.Millisecond
	// maxPauses is how often in a second a job that is stopped or continued is
	// worth a state.json of its own.
	maxPauses = 8
	// saveAgain is when a state that the disk refused is tried again.
	saveAgain = 5 * time.Second
	// maxText bounds what a job can make of its title and notifications.
	maxText = 1 << 10
	// factPause is the least time between two lines in events of a kind that a
	// job can cause as often as it likes, and maxFacts how many of them there can
	// be.
	factPause = time.Second
	maxFacts  = 10_000
)

// factLimiter keeps a job from filling the disk through events.
type factLimiter struct {
	last  map[string]time.Time
	count int
}

func (l *factLimiter) allow(kind string, now time.Time) bool {
	if l.count >= maxFacts || now.Sub(l.last[kind]) < factPause {
		return false
	}
	if l.last == nil {
		l.last = map[string]time.Time{}
	}
	l.last[kind] = now
	l.count++
	return true
}

// handler hears what the job says of itself through its terminal. It is called
// in the emulator's Write, with h.mu held.
func (h *Holder) handler() vt.Handler {
	return vt.Handler{
		Title: func(title string) {
			title = clip(title)
			if title == h.state.Title {
				return
			}
			h.state.Title = title
			h.changedLocked(false)
			h.chatter(jobdir.Fact{Kind: "title", Title: title})
		},
		Bell: func() {
			h.bells++
			h.attentionLocked(nil)
			h.chatter(jobdir.Fact{Kind: "attention"})
		},
		Notify: func(title, body string) {
			note := &record.Note{Title: clip(title), Body: clip(body)}
			h.attentionLocked(note)
			h.chatter(jobdir.Fact{Kind: "attention", Title: note.Title, Body: note.Body})
		},
		Progress: func(state vt.Progress, percent int) {
			p := &record.Progress{State: progressName(state), Percent: percent}
			if state == vt.ProgressNone {
				p = nil
			}
			if old := h.state.Progress; old == p || (old != nil && p != nil && *old == *p) {
				return
			}
			h.state.Progress = p
			h.changedLocked(false)
		},
		Cwd: func(uri string) {
			if dir, ok := cwdOf(uri); ok && dir != h.state.Cwd {
				h.state.Cwd = dir
				h.changedLocked(false)
			}
		},
	}
}

func progressName(p vt.Progress) string {
	switch p {
	case vt.ProgressNormal:
		return "normal"
	case vt.ProgressError:
		return "error"
	case vt.ProgressIndeterminate:
		return "indeterminate"
	case vt.ProgressPaused:
		return "paused"
	case vt.ProgressNone:
	}
	return ""
}

// changedLocked notes that a slow fact changed: to the subscribers soon, or at
// once if it is urgent, to disk a little later.
func (h *Holder) changedLocked(urgent bool) {
	for c := range h.conns {
		c.stateDue = c.subscribed
		c.changed(urgent)
	}
	h.saveIn(savePause)
}

func (h *Holder) attentionLocked(note *record.Note) {
	for c := range h.conns {
		if c.subscribed && note != nil {
			c.note = note
		}
		c.changed(true)
	}
}

// chatter adds a fact that the job causes, if there are not too many. The write
// happens outside of the lock.
func (h *Holder) chatter(f jobdir.Fact) {
	f.At = time.Now()
	if h.closing || !h.facts.allow(f.Kind, f.At) {
		return
	}
	f.Offset = h.offset
	h.wg.Go(func() { h.fact(f) })
}

// fact adds a line to events. That history is a comfort: on a full disk it has a
// gap.
func (h *Holder) fact(f jobdir.Fact) { _ = jobdir.AppendFact(h.cfg.Dir, f) }

// saveIn writes state.json after d, or sooner if that is due, with everything that
// changes until then. h.mu is held.
func (h *Holder) saveIn(d time.Duration) {
	if h.closing || h.ending {
		return
	}
	due := time.Now().Add(d)
	switch {
	case h.saveTimer == nil:
		h.saveTimer = time.AfterFunc(d, h.saveLater)
	case due.Before(h.saveDue):
		h.saveTimer.Reset(d)
	default:
		return
	}
	h.saveDue = due
}

// saveLater is what saveIn has done. A disk that refuses is tried again: there may be
// room then.
func (h *Holder) saveLater() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.saveTimer = nil
	if h.closing || h.ending {
		return
	}
	h.wg.Go(func() { // Close waits for it: without the lock nothing is written
		if h.save() == nil {
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.saveIn(saveAgain)
	})
}

// save writes state.json now. Before the start there is nothing to say, and from the
// end on it is for who records that, who may have done half of it.
func (h *Holder) save() error {
	h.saveMu.Lock()
	defer h.saveMu.Unlock()
	h.mu.Lock()
	st, ending := h.state, h.ending
	h.mu.Unlock()
	if st.Machine == "" || ending && !st.Exit.Known() {
		return nil
	}
	return jobdir.WriteState(h.cfg.Dir, &st)
}

// Background records that no caller waits for the job any longer. It reports
// whether that is news.
func (h *Holder) Background() bool {
	h.mu.Lock()
	if h.state.Exit.Known() {
		h.mu.Unlock()
		return false
	}
	if h.state.Backgrounded {
		h.mu.Unlock()
		_ = h.save() // the request that was the first may still be writing it
		return false
	}
	h.state.Backgrounded = true
	h.changedLocked(true)
	h.mu.Unlock()
	if h.cfg.Hooks.Backgrounded != nil {
		h.cfg.Hooks.Backgrounded()
	}
	_ = h.save() // saveIn, which was asked already, tries again
	h.fact(jobdir.Fact{At: time.Now(), Kind: "backgrounded", Offset: h.Offset()})
	return true
}

// Stopping records that the job was asked to end; nil that it was not after all.
func (h *Holder) Stopping(s *record.StopRequest) {
	h.mu.Lock()
	if h.state.Exit.Known() {
		h.mu.Unlock()
		return
	}
	h.state.Stopping = s
	h.changedLocked(true)
	h.mu.Unlock()
	_ = h.save() // likewise
}

// Waiting records whether the job waits for input, and what is to be seen of what
// is typed for it, as in jobdir.State.Entry.
func (h *Holder) Waiting(waits bool, entry record.Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	asks := h.state.Waiting != waits
	if !asks && h.state.Entry == entry || h.state.Exit.Known() {
		return
	}
	h.state.Waiting, h.state.Entry = waits, entry
	if h.state.StartedAt.IsZero() {
		return // it is recorded with the start
	}
	h.changedLocked(true)
	h.saveIn(askPause)
	if asks {
		h.chatter(jobdir.Fact{Kind: "waiting"})
	}
}

// Paused records whether the job is stopped by a signal: on disk at once, since who
// stopped it may look now, unless it is stopped and continued all the time.
func (h *Holder) Paused(paused bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Paused == paused || h.state.Exit.Known() {
		return
	}
	h.state.Paused = paused
	h.changedLocked(true)
	now := time.Now()
	if now.Sub(h.pausesSince) > time.Second {
		h.pausesSince, h.pauses = now, 0
	}
	if h.pauses++; h.pauses <= maxPauses {
		h.saveIn(0)
	}
}

// Dropped records what the cap has freed of a log that the job owns.
func (h *Holder) Dropped(hole record.Range, bytes int64, capOff bool) {
	h.mu.Lock()
	if h.state.Hole == hole && h.state.Dropped == bytes && h.state.NoLimit == capOff {
		h.mu.Unlock()
		return
	}
	h.state.Hole, h.state.HoleLines = hole, -1
	h.state.Dropped, h.state.NoLimit = bytes, capOff
	h.changedLocked(false)
	ended := h.state.Exit.Known()
	h.mu.Unlock()
	if ended { // then nothing is saved by itself any more
		_ = h.save()
	}
}

// Watched reports whether a client shows a person what happens, so that nobody
// else needs to tell of it.
func (h *Holder) Watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		if c.shows || c.view != nil {
			return true
		}
	}
	return false
}
