package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hobjobs/hob/internal/jobdir"
)

// MarkSeen records that the user has seen how these jobs ended, so that they no longer count
// as failures that need attention ([Job.FailedUnseen]), for any client. Jobs that have not ended, did
// not fail or no longer exist are ignored. Of a job on a host the record on this machine is marked.
func (e *Engine) MarkSeen(ids ...ID) error {
	var errs []error
	for _, id := range ids {
		rec, err := e.record(id)
		if err != nil {
			if !errors.Is(err, ErrNotFound) {
				errs = append(errs, err)
			}
			continue
		}
		if j := e.jobOf(rec); !j.FailedUnseen() {
			continue
		}
		if err := jobdir.MarkSeen(e.root.Dir(rec.ID)); err != nil {
			errs = append(errs, fmt.Errorf("cannot mark %s as seen: %w", id, err))
			continue
		}
		e.tracking.setSeen(id)
	}
	return errors.Join(errs...)
}

// setSeen applies that the user has seen the end of jobs, and publishes it.
func (k *tracking) setSeen(ids ...ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range ids {
		t := k.trackers[id]
		if t == nil || !t.job.FailedUnseen() {
			continue
		}
		t.job.Seen = true
		if t.listed {
			t.publishLocked(nil, []fact{{kind: EventTitle, offset: t.job.Output, at: k.e.cfg.now()}})
		}
	}
}

// readSeen applies what other programs have marked as seen.
func (k *tracking) readSeen() {
	var seen []ID
	k.mu.Lock()
	for id, t := range k.trackers {
		if t.listed && t.job.FailedUnseen() {
			seen = append(seen, id)
		}
	}
	k.mu.Unlock()
	seen = slices.DeleteFunc(seen, func(id ID) bool { return !jobdir.Seen(k.e.root.Dir(string(id))) })
	k.setSeen(seen...)
}
