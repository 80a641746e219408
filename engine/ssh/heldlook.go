package ssh

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/internal/hostjob"
)

// heldJobs is what the last looks found of the jobs with a holder that have not ended.
type heldJobs struct {
	last map[engine.ID]*hostjob.Job
	skew time.Duration // how far the clock here is ahead of that of the host

	asked map[engine.ID]time.Time // when a look had the holder asked whether it answers
	quiet map[engine.ID]time.Time // since when none of the looks found an answer
}

func newHeldJobs() heldJobs {
	return heldJobs{
		last:  map[engine.ID]*hostjob.Job{},
		asked: map[engine.ID]time.Time{},
		quiet: map[engine.ID]time.Time{},
	}
}

// A holder that hangs looks like one that has nothing to do. Looks that come again and again have a few holders asked
// each time, and those again that have not answered. They do not wait long for answers, so one without an answer
// proves nothing.
const (
	asksAtOnce = 16
	// asksEvery is how often the holder of a job is asked, if there are no more than asksAtOnce.
	asksEvery = 10 * time.Second
	// quietFor is how long a holder does not answer before its job counts as unreachable: as long as a list of
	// this machine's jobs waits for an answer.
	quietFor = 4 * time.Second
)

// skewNoticed is how much two measurements of the skew must differ for a change of a clock.
const skewNoticed = 2 * time.Second

// lookHeld looks at the jobs rs in base, which have holders.
func (h *host) lookHeld(ctx context.Context, base string, rs []engine.Record, seen map[engine.ID]engine.State) error {
	if len(rs) == 0 {
		return nil
	}
	for _, confirms := range []bool{false, true} {
		l, err := h.listHeld(ctx, base, rs)
		if missing := (*missingError)(nil); errors.As(err, &missing) {
			return h.lookWithoutHolder(ctx, base, rs, missing, seen)
		}
		if err != nil {
			return err
		}
		var again []engine.Record // a directory that is gone may be there a moment later
		for _, r := range rs {
			r.Job.StartedUp = h.b.startedUp(r)
			look := h.heldLook(r, l, base)
			switch {
			case look.Job == nil:
				seen[r.ID] = judge.LastKnown(r)
			case look.IsGone() && !confirms:
				again = append(again, r)
			default:
				o := look.State()
				h.found(r.ID, look.Logs(), l.at) // before the end is recorded
				h.b.remember(r, o, l.Boot, look.Dir, false)
				seen[r.ID] = o
			}
		}
		if rs = again; len(rs) == 0 {
			break
		}
	}
	return nil
}

// heldListing is a listing, when it came, which jobs had their holders asked for it, and what was known of the jobs
// before: another look that ends first may forget that.
type heldListing struct {
	hostjob.Listing
	at    time.Time
	asked map[engine.ID]bool
	known map[engine.ID]*hostjob.Job
}

// heldLook returns what a listing has of the job of r; without a Job if it has nothing.
func (h *host) heldLook(r engine.Record, l *heldListing, base string) *judge.HeldLook {
	dir := h.b.HostDir(r)
	look := &judge.HeldLook{
		Record: r,
		Job:    l.Jobs[remoteID(dir)],
		Boot:   l.Boot,
		Up:     l.Up,
		At:     l.at,
		Dir:    path.Join(base, remoteID(dir)),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if skew := l.at.Sub(l.Now); (skew - h.held.skew).Abs() > skewNoticed {
		h.held.skew = skew
	}
	look.Skew = h.held.skew
	switch j := look.Job; {
	case j == nil:
	case j.Same:
		look.Job = l.known[r.ID]
	case !l.asked[r.ID] && h.held.awaits(r.ID, j):
		look.Job = h.held.last[r.ID]
	case j.Gone, j.State.Status.Finished():
		h.held.forget(r.ID)
	default:
		h.held.last[r.ID] = j
	}
	h.calmLocked(look)
	return look
}

// awaits reports whether the holder of a job has not answered when it was last asked, so that j, of a look that has not
// asked it, is no news.
func (k *heldJobs) awaits(id engine.ID, j *hostjob.Job) bool {
	switch {
	case !j.Held, j.State.Status.Finished(), j.State.Link != engine.LinkNone:
		return false
	}
	_, quiet := k.quiet[id]
	return quiet
}

func (k *heldJobs) forget(id engine.ID) {
	delete(k.last, id)
	delete(k.asked, id)
	delete(k.quiet, id)
}

// calmLocked makes a job reachable whose holder has not answered a look that did not wait, until it is quiet for long
// enough.
func (h *host) calmLocked(look *judge.HeldLook) {
	id, j := look.Record.ID, look.Job
	if j == nil {
		return
	}
	if j.State.Link != engine.LinkUnreachable {
		delete(h.held.quiet, id)
		return
	}
	since, known := h.held.quiet[id]
	if !known {
		since = look.At
		h.held.quiet[id] = since
	}
	said := *j
	switch long := look.At.Sub(since) >= h.b.quietFor; {
	case !long && !look.Record.Verify:
		said.State.Link, said.State.LinkError, said.State.StaleSince = engine.LinkNone, "", time.Time{}
	case long && said.State.StaleSince.IsZero():
		said.State.StaleSince = since.Add(-look.Skew)
	}
	look.Job = &said
}

// listHeld requests the states of the jobs rs in base.
func (h *host) listHeld(ctx context.Context, base string, rs []engine.Record) (*heldListing, error) {
	c, err := h.connect(ctx, false)
	if err != nil {
		return nil, err
	}
	args := []string{"list", base}
	known := map[engine.ID]*hostjob.Job{}
	h.mu.Lock()
	due := h.dueLocked(rs, time.Now())
	for _, r := range rs {
		arg := remoteID(h.b.HostDir(r)) + "="
		if j := h.held.last[r.ID]; j != nil {
			arg += j.Sum
			known[r.ID] = j
		}
		switch {
		case r.Verify:
			arg += "=" + hostjob.Wait
			due[r.ID] = true
		case due[r.ID]:
			arg += "=" + hostjob.Ask
		}
		args = append(args, arg)
	}
	h.mu.Unlock()
	l := &heldListing{asked: due, known: known}
	err = h.askHolder(ctx, quick, h.speakerOf(c, &rs[0]), nil, &l.Listing, askOptions{looks: true}, args...)
	l.at = time.Now()
	return l, err
}

// dueLocked returns those of the jobs rs whose holders a look at now has asked, and notes it: those that have not
// answered, and the few that were not asked for longest.
func (h *host) dueLocked(rs []engine.Record, now time.Time) map[engine.ID]bool {
	due := map[engine.ID]bool{}
	var others []engine.ID
	for i := range rs {
		id := rs[i].ID
		if _, quiet := h.held.quiet[id]; quiet {
			due[id] = true
		} else if h.held.last[id] != nil && now.Sub(h.held.asked[id]) >= h.b.asksEvery {
			others = append(others, id)
		}
	}
	slices.SortFunc(others, func(a, b engine.ID) int {
		return cmp.Or(h.held.asked[a].Compare(h.held.asked[b]), cmp.Compare(a, b))
	})
	for _, id := range others[:min(len(others), asksAtOnce)] {
		due[id] = true
		h.held.asked[id] = now
	}
	return due
}
