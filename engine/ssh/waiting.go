package ssh

import (
	"context"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
)

const (
	// quietTime is how long a job must have printed nothing before its host is asked whether it
	// waits for input. A job can begin to read long after its last output, so a quiet job is checked
	// again when it has been quiet for three times as long as at the check before.
	quietTime = 300 * time.Millisecond
	// waitingAgain is the longest time between two checks of a job that waits: another client can
	// have answered it.
	waitingAgain = 5 * time.Second
	// nodeCheckLimit bounds a check on the node of a cluster's job: other looks wait for it.
	nodeCheckLimit = 3 * time.Second
	// maxChecks bounds the jobs that one request checks.
	maxChecks = 16
)

// inputFacts is what was last found of how a watched job with a terminal takes input.
type inputFacts struct {
	output  int64     // what the job had printed; if that has changed, the rest is out of date
	since   time.Time // when that was first found, or when the job was last sent input
	checked time.Time // zero: not since then
	waits   bool
	entry   engine.Entry
}

// due reports whether the job is to be checked again.
func (f inputFacts) due(now time.Time) bool {
	wait := quietTime
	if !f.checked.IsZero() {
		wait = max(quietTime, 3*f.checked.Sub(f.since))
	}
	return now.Sub(f.since) >= wait || f.waits && now.Sub(f.checked) >= waitingAgain
}

// sentInput makes the next look at a job check it again soon: it may no longer wait for input.
func (h *host) sentInput(id engine.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f, ok := h.logs[id]; ok {
		f.input.since, f.input.checked = time.Now(), time.Time{}
		h.logs[id] = f
	}
}

// addInput adds to an observed state whether the job waits for input, if it was checked since the job
// last printed.
func (h *host) addInput(id engine.ID, o *engine.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.Waiting, o.Entry = false, engine.EntryUnknown
	if f := h.logs[id].input; f.output == o.Output && mayRead(o) {
		o.Waiting, o.Entry = f.waits, f.entry
	}
}

// mayRead reports whether a job in the state o can be reading its terminal.
func mayRead(o *engine.State) bool { return o.Status == engine.Running && !o.Paused }

// checkInput asks the host whether jobs that have stopped to print wait for input, and completes
// their observed states.
func (h *host) checkInput(ctx context.Context, rs []engine.Record, seen map[engine.ID]engine.State) {
	due := h.dueForInput(rs, seen, time.Now())
	var script strings.Builder
	var asked []engine.Record
	for _, r := range due {
		dir, err := (&Run{b: h.b, h: h, rec: r}).dir(ctx, false)
		if err != nil {
			return
		}
		if judge.Scheduled(r) {
			h.checkInputOnNode(ctx, r, dir, seen)
			continue
		}
		script.WriteString(recipe.Here(dir, recipe.Shows(dir, remoteID(dir))) + "\n")
		asked = append(asked, r)
	}
	if len(asked) == 0 {
		return
	}
	sent := time.Now()
	a, err := h.ask(ctx, quick, script.String(), askOptions{})
	if err != nil {
		return
	}
	lines := strings.Split(string(a.Out), "\n")
	for i, r := range asked[:min(len(asked), len(lines))] {
		h.noteInput(r.ID, lines[i], sent, seen)
	}
}

// checkInputOnNode is checkInput for a job on a cluster. It uses a session with the node that is open
// for something else: a step of its own for each check is too much work for the scheduler.
func (h *host) checkInputOnNode(ctx context.Context, r engine.Record, dir string, seen map[engine.ID]engine.State) {
	h.mu.Lock()
	c, e := h.conn, h.logs[r.ID].entry
	h.mu.Unlock()
	if c == nil || e == nil {
		return
	}
	s := c.IdleNode(e.Number)
	if s == nil {
		return
	}
	defer c.Release(s)
	sent := time.Now()
	if a, err := s.Do(ctx, recipe.Here(dir, recipe.Shows(dir, remoteID(dir))), nodeCheckLimit); err == nil {
		h.noteInput(r.ID, string(a.Out), sent, seen)
	}
}

// noteInput adds an answer about a job to its observed state.
func (h *host) noteInput(id engine.ID, line string, sent time.Time, seen map[engine.ID]engine.State) {
	o := seen[id]
	entry, waits := recipe.ParseShows(line)
	h.foundInput(id, inputFacts{
		output:  o.Output,
		checked: sent,
		waits:   waits,
		entry:   entry,
	})
	h.addInput(id, &o)
	seen[id] = o
}

// dueForInput returns the jobs to check, and notes which of them have printed since the look before.
func (h *host) dueForInput(rs []engine.Record, seen map[engine.ID]engine.State, now time.Time) (due []engine.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range rs {
		o, ok := seen[r.ID]
		f, watched := h.logs[r.ID]
		switch {
		case !ok, !watched:
			continue
		case r.Job.Kind != engine.KindPTY, o.Link != engine.LinkOK, !mayRead(&o):
			continue
		}
		if f.input.since.IsZero() || f.input.output != o.Output {
			f.input = inputFacts{output: o.Output, since: now}
			h.logs[r.ID] = f
		}
		if f.input.due(now) && len(due) < maxChecks {
			due = append(due, r)
		}
	}
	return due
}

// foundInput notes what a check found, unless the job was sent input or has printed since.
func (h *host) foundInput(id engine.ID, found inputFacts) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.logs[id]
	if !ok || f.input.output != found.output || f.input.since.After(found.checked) {
		return
	}
	found.since = f.input.since
	f.input = found
	h.logs[id] = f
}
