package holder

import (
	"reflect"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/programstatus"
	"github.com/hobjobs/hob/internal/vt"
)

const (
	// savePause is the delay after which changed facts (title, progress, directory) are written to
	// state.json.
	savePause = 500 * time.Millisecond
	// saveEntryPause is the same for a change of whether and for what the job waits for input.
	saveEntryPause = 20 * time.Millisecond
	// maxAtOnce limits the immediate writes of state.json, per second: because a job is stopped or
	// continued, or its program reports another state.
	maxAtOnce = 8
	// saveAgain is the time after which a failed write of state.json is retried.
	saveAgain = 5 * time.Second
	// maxText is the maximum length of a job's title and notifications, in bytes.
	maxText = 1 << 10
	// factPause is the minimum time between two lines in events of the same kind, for kinds that a
	// job can cause at any rate. maxFacts limits their total number.
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

// handler returns the callbacks for what the job reports through its terminal. They run in the
// emulator's Write, with h.mu held.
func (h *Holder) handler() vt.Handler {
	return vt.Handler{
		Title: func(title string) {
			title = clip(title)
			if title == h.state.Title {
				return
			}
			h.state.Title = title
			h.changedLocked(false)
			h.limitedFact(jobdir.Fact{Kind: "title", Title: title})
		},
		Bell: func() {
			h.bells++
			h.attentionLocked(nil)
			h.limitedFact(jobdir.Fact{Kind: "attention"})
		},
		Notify: func(n vt.Notification) {
			note := &record.Note{
				Title:   clip(n.Title),
				Body:    clip(n.Body),
				Urgency: urgencyOf(n.Urgency),
			}
			h.attentionLocked(note)
			h.limitedFact(jobdir.Fact{
				Kind:    "attention",
				Title:   note.Title,
				Body:    note.Body,
				Urgency: note.Urgency,
			})
		},
		Progress: func(state vt.Progress, percent int) {
			if !h.program.Empty() { // it says how far it is in its reports
				return
			}
			p := &record.Progress{State: progressName(state), Percent: percent}
			if state == vt.ProgressNone {
				p = nil
			}
			if reflect.DeepEqual(h.state.Progress, p) {
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
		Status: func(body string) {
			r, ok := programstatus.Parse(body)
			if ok && h.cfg.Hooks.Group != nil {
				r.Group = h.cfg.Hooks.Group()
			}
			if ok && h.program.Apply(r, time.Now()) {
				h.programChangedLocked()
			}
		},
		Prompt: func() {
			if h.program.EndRun() {
				h.programChangedLocked()
			}
		},
		Reset: func() {
			if h.program.Clear() {
				h.programChangedLocked()
			}
		},
		CommandEnded: func(code int) {
			h.state.LastCommand = &record.LastCommand{Code: code, At: time.Now()}
			h.changedLocked(false)
		},
	}
}

// programChangedLocked must be called after the store of reports has changed.
func (h *Holder) programChangedLocked() {
	h.programDue = true
	most, _ := h.program.MostUrgent()
	h.state.Progress = progressOf(most)
	change, changed := h.lastReport.ChangeTo(most)
	h.lastReport = most
	if enters := change.From != change.To; enters && h.cfg.Hooks.ProgramChanged != nil {
		h.cfg.Hooks.ProgramChanged(most)
	}
	noted := h.noteProgramLocked()
	if !noted && h.noteTimer == nil { // the history then has at least the last report
		h.noteTimer = time.AfterFunc(factPause, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.noteTimer = nil
			h.noteProgramLocked()
		})
	}
	if changed && h.saveAtOnce() { // a program that waited for it may read it
		h.held++
	}
	h.updateWaitingLocked()
	h.changedLocked(changed)
}

// EndGroups removes the reports of process groups that have ended: they no longer apply.
func (h *Holder) EndGroups(ended func(group int) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.program.EndGroups(ended) {
		h.programChangedLocked()
	}
}

// noteProgramLocked adds the state that the program reports to the events, if it has changed and the limits allow it. It
// reports whether the events have that state.
func (h *Holder) noteProgramLocked() bool {
	change, changed := h.noted.ChangeTo(h.lastReport)
	if !changed {
		return true
	}
	if !h.limitedFact(jobdir.Fact{Kind: "status", Program: &change}) {
		return false
	}
	h.noted = h.lastReport
	return true
}

// endProgramLocked must be called when the run of the job has ended. It adds the last report to the events, even if the
// program has sent more reports than the limits allow.
func (h *Holder) endProgramLocked() {
	if h.noteTimer != nil {
		h.noteTimer.Stop() // if it is about to run, it finds nothing new
		h.noteTimer = nil
	}
	if change, changed := h.noted.ChangeTo(h.lastReport); changed {
		f := jobdir.Fact{
			At:      time.Now(),
			Kind:    "status",
			Program: &change,
			Offset:  h.offset,
		}
		h.factLocked(f)
	}
	h.program.EndRun()
	h.lastReport, _ = h.program.MostUrgent()
	h.noted = h.lastReport
	h.reads = false
}

// progressOf returns the progress that a program reports, as a terminal's progress bar would show it.
func progressOf(r record.ProgramReport) *record.Progress {
	switch {
	case r.Percent == nil:
		return nil
	case r.State == record.ProgramBlocked:
		return &record.Progress{State: "paused", Percent: *r.Percent}
	}
	return &record.Progress{State: "normal", Percent: *r.Percent}
}

// stateLocked returns the state with all that is derived; h.mu is held.
func (h *Holder) stateLocked() record.State {
	if h.programDue {
		h.state.Program = h.program.Program()
		h.programDue = false
	}
	return h.state
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

// changedLocked must be called after a fact has changed. Subscribers are notified soon, or at once if
// the change is urgent, and state.json is written a little later. While a change is held back, they are
// notified of all together.
func (h *Holder) changedLocked(urgent bool) {
	if h.held == h.written {
		h.notifyLocked(urgent)
	}
	h.saveIn(savePause)
}

func (h *Holder) notifyLocked(urgent bool) {
	for c := range h.conns {
		c.stateDue = c.subscribed
		c.changed(urgent)
	}
}

func (h *Holder) attentionLocked(note *record.Note) {
	for c := range h.conns {
		if c.subscribed && note != nil {
			c.note = note
		}
		c.changed(true)
	}
}

// saveIn schedules a write of state.json after d, unless an earlier one is scheduled. h.mu is held.
func (h *Holder) saveIn(d time.Duration) {
	if h.endSaves() {
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

// endSaves reports whether the holder is about to end, which writes state.json itself. h.mu is held.
func (h *Holder) endSaves() bool { return h.closing || h.ending }

// Record writes what is known to state.json now. Changes of a running job are otherwise written after a pause.
func (h *Holder) Record() error { return h.save() }

// saveLater is called by saveIn's timer. It retries a failed write.
func (h *Holder) saveLater() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.saveTimer = nil
	held := h.held
	if h.endSaves() {
		h.announceLocked(held)
		return
	}
	h.wg.Go(func() { // Close waits for this, because a write requires the job's lock
		err := h.save()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.announceLocked(held)
		if err != nil {
			h.saveIn(saveAgain)
		}
	})
}

// announceLocked is called when the first written changes are on disk, or could not be written. Once that holds for
// all changes that were held back, it notifies the subscribers of them.
func (h *Holder) announceLocked(written int) {
	before := h.held - h.written
	h.written = max(h.written, written)
	if before > 0 && h.held == h.written {
		h.notifyLocked(true)
	}
}

// save writes state.json now. It writes nothing before the job is started. It writes nothing either
// while the end is being recorded: record writes state.json then, and an older state must not
// replace what it has written.
func (h *Holder) save() error {
	h.saveMu.Lock()
	defer h.saveMu.Unlock()
	h.mu.Lock()
	st, ending := h.stateLocked(), h.ending
	h.mu.Unlock()
	if h.released || st.Machine == "" {
		return nil
	}
	if ending && !st.Exit.Known() {
		return nil
	}
	h.saving.begin(h.diskChanged)
	defer h.saving.end(h.diskChanged)
	return jobdir.WriteState(h.cfg.Dir, &st)
}

// Background records that no caller waits for the job any longer. It reports whether that is a
// change.
func (h *Holder) Background() bool {
	h.mu.Lock()
	if h.state.Exit.Known() {
		h.mu.Unlock()
		return false
	}
	if h.state.Backgrounded {
		h.mu.Unlock()
		_ = h.save() // an earlier request may not have been written yet
		return false
	}
	h.state.Backgrounded = true
	h.changedLocked(true)
	h.mu.Unlock()
	if h.cfg.Hooks.Backgrounded != nil {
		h.cfg.Hooks.Backgrounded()
	}
	_ = h.save() // saveIn, called before, retries
	h.fact(jobdir.Fact{
		At:     time.Now(),
		Kind:   "backgrounded",
		Offset: h.Offset(),
	})
	return true
}

// Stopping records a request to stop the job. nil means that it was withdrawn. It does not wait for the disk: on
// one that hangs, the job must be stopped, too.
func (h *Holder) Stopping(s *record.StopRequest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Exit.Known() {
		return
	}
	h.state.Stopping = s
	h.changedLocked(true)
	h.saveIn(0)
}

// Waiting records whether the job reads its terminal and has nothing to read, and how typed input is displayed.
// It reports whether the job counts as one that waits for input.
func (h *Holder) Waiting(reads bool, entry record.Entry) (waits bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Exit.Known() || h.state.Runs.Between() {
		return false
	}
	entryChanged := h.state.Entry != entry
	h.reads, h.state.Entry = reads, entry
	waitingChanged := h.updateWaitingLocked()
	if entryChanged && !waitingChanged {
		h.entryChangedLocked()
	}
	return h.state.Waiting
}

// updateWaitingLocked derives whether the job waits for input, and reports whether that has changed. A program
// that reads a line asks for input. One that reads single keys may only be ready for them, like an editor, or an agent
// at its own prompt. If such a program reports its status, that decides whether it needs the user.
func (h *Holder) updateWaitingLocked() (changed bool) {
	reportsItself := h.state.Entry == record.EntryUnknown && !h.program.Empty()
	waits := h.reads && !reportsItself
	if h.state.Waiting == waits {
		return false
	}
	h.state.Waiting = waits
	h.entryChangedLocked()
	if !h.state.StartedAt.IsZero() {
		h.limitedFact(jobdir.Fact{Kind: "waiting"})
	}
	return true
}

// entryChangedLocked must be called after a change of whether and for what the job waits for input.
func (h *Holder) entryChangedLocked() {
	if h.state.StartedAt.IsZero() {
		return // recorded together with the start
	}
	h.changedLocked(true)
	h.saveIn(saveEntryPause)
}

// Health records what the checks of the job have shown. State and Since are those of the last call if the state
// is the same.
func (h *Holder) Health(now record.Health) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Exit.Known() || h.state.Runs.Between() {
		return
	}
	changed := !h.state.Health.Is(now.State)
	if !changed {
		now.Since = h.state.Health.Since
	}
	h.state.Health = &now
	h.changedLocked(changed)
	if !changed {
		return
	}
	h.saveAtOnce()
	if now.State != record.HealthUnknown {
		h.limitedFact(jobdir.Fact{Kind: "health", Title: string(now.State), Body: clip(now.Output)})
	}
}

// Paused records whether the job is stopped by a signal. It is written to disk at once, because the
// program that stopped the job may read it, unless the job is stopped and continued very often.
func (h *Holder) Paused(paused bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Paused == paused || h.state.Exit.Known() {
		return
	}
	h.state.Paused = paused
	h.changedLocked(true)
	h.saveAtOnce()
}

// saveAtOnce writes state.json without a delay, unless that has happened very often in this second or the holder is
// about to end, and reports whether it does; h.mu is held.
func (h *Holder) saveAtOnce() bool {
	now := time.Now()
	if now.Sub(h.atOnceSince) > time.Second {
		h.atOnceSince, h.atOnce = now, 0
	}
	if h.atOnce++; h.atOnce > maxAtOnce || h.endSaves() {
		return false
	}
	h.saveIn(0)
	return true
}

// Dropped records the bytes that were dropped from a log that the job writes itself.
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
	if ended { // no other change will cause a write
		_ = h.save()
	}
}
