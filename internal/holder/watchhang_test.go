//go:build linux || darwin

package holder

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// A client that watches a job notices that the holder begins to hang, and that it answers again.
func TestWatchNoticesHangingHolder(t *testing.T) {
	lives, err := proc.IdentityOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	ended := gone(t)
	for name, tc := range map[string]struct {
		leader proc.Identity
		hangs  bool // already when the client comes
	}{
		"it begins while the job runs":          {lives, false},
		"it hangs while the job runs":           {lives, true},
		"it begins when the process has ended":  {ended, false},
		"it hangs although the process is gone": {ended, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newOpened(t, Config{})
			if err := h.Listen(); err != nil {
				t.Fatal(err)
			}
			if err := h.Started(tc.leader, 0, time.Now(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			meta, err := jobdir.ReadMeta(h.cfg.Dir)
			if err != nil {
				t.Fatal(err)
			}
			r := NewRun(h.cfg.Dir, meta.Request, false)
			r.quiet, r.patience = 10*time.Millisecond, 100*time.Millisecond
			ctx, done := context.WithTimeout(t.Context(), time.Minute)
			defer done()
			links := []record.Link{record.LinkNone, record.LinkUnreachable, record.LinkNone}
			hangs := tc.hangs
			if hangs {
				h.mu.Lock()
				links = links[1:]
			}
			_ = r.Watch(ctx, func(s record.State, _ record.Note) {
				if len(links) == 0 || s.Link != links[0] {
					return // as before
				}
				if s.Status != record.Running || (s.LinkError == "") != (s.Link == record.LinkNone) {
					t.Errorf("%s, link %q (%s)", s.Status, s.Link, s.LinkError)
				}
				since := len(links) == 2 && !tc.hangs // it has answered this client before
				if since == s.StaleSince.IsZero() {
					t.Errorf("unreachable since %v", s.StaleSince)
				}
				switch links = links[1:]; {
				case len(links) == 0:
					done()
				case hangs:
					h.mu.Unlock()
					hangs = false
				default:
					h.mu.Lock()
					hangs = true
				}
			})
			if hangs {
				h.mu.Unlock()
			}
			if len(links) > 0 {
				t.Errorf("its link does not become %q", links[0])
			}
		})
	}
}

// Watches that begin at different times ask in the same rounds, of which none is skipped.
func TestWatchesAskInTheSameRounds(t *testing.T) {
	const every = 10 * time.Second
	first := time.Now().Truncate(every)
	for _, began := range []time.Duration{0, 1, time.Second, every - 1} {
		at := first.Add(began)
		for round := range 3 {
			at = at.Add(untilRound(at, every))
			if want := first.Add(time.Duration(round+1) * every); !at.Equal(want) {
				t.Errorf("began after %s: round %d at %s, want %s", began, round, at, want)
			}
		}
	}
}
