package ssh

import (
	"context"
	"errors"
	"path"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/internal/hostjob"
)

// heldJobs is what the last looks found of the jobs with a holder that have not ended.
type heldJobs struct {
	last map[engine.ID]*hostjob.Job
	skew time.Duration // how far the clock here is ahead of that of the host
}

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

// heldListing is a listing, when it came, and what was known of the jobs before: another look that ends first may forget
// that.
type heldListing struct {
	hostjob.Listing
	at    time.Time
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
	case j.Gone, j.State.Status.Finished():
		delete(h.held.last, r.ID)
	default:
		h.held.last[r.ID] = j
	}
	return look
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
	for _, r := range rs {
		arg := remoteID(h.b.HostDir(r)) + "="
		if j := h.held.last[r.ID]; j != nil {
			arg += j.Sum
			known[r.ID] = j
		}
		if r.Verify {
			arg += "=" + hostjob.Wait
		}
		args = append(args, arg)
	}
	h.mu.Unlock()
	l := &heldListing{known: known}
	err = h.askHolder(ctx, quick, h.speakerOf(c, &rs[0]), nil, &l.Listing, askOptions{looks: true}, args...)
	l.at = time.Now()
	return l, err
}
