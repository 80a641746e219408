//go:build linux || darwin

package holder

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// If the wall clock is set while a job runs, the recorded start differs from the new clock.
func TestEndAfterClockWasSet(t *testing.T) {
	const ran = 90 * time.Second
	for name, set := range map[string]time.Duration{"not": 0, "back": -time.Hour, "ahead": 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHeld(t, Config{})
			h.mu.Lock()
			h.state.StartedAt = h.state.StartedAt.Round(0).Add(-ran - set)
			h.state.StartedUp -= record.InMilliseconds(ran)
			h.mu.Unlock()
			now := time.Now()
			h.End(record.Exit{At: now, Status: "exited", Reason: "exit"})
			st, err := jobdir.ReadState(h.cfg.Dir)
			if err != nil || !st.Exit.Known() {
				t.Fatal(st.Exit, err)
			}
			if got := st.Exit.Ran.Duration(); got < ran || got > ran+2*time.Minute {
				t.Errorf("ran %v, want about %v", got, ran)
			}
			if want := now.Round(0); set < 0 && !st.Exit.At.Equal(st.StartedAt) || set >= 0 && !st.Exit.At.Equal(want) {
				t.Errorf("started %v, ended %v, at %v", st.StartedAt, st.Exit.At, want)
			}
			if st.Exit.SinceBoot < st.Exit.Ran && st.Exit.SinceBoot <= st.StartedUp {
				t.Errorf("ended %d ms after boot, started after %d", st.Exit.SinceBoot, st.StartedUp)
			}
		})
	}
}
