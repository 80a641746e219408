//go:build linux || darwin

package holder

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// The wall clock is set while a job runs: what was recorded of the start is then
// as far off as the clock was set.
func TestEndWhenTheClockWasSet(t *testing.T) {
	const ran = 90 * time.Second
	for name, set := range map[string]time.Duration{"not": 0, "back": -time.Hour, "ahead": 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := held(t, Config{})
			h.mu.Lock()
			h.state.StartedAt = h.state.StartedAt.Round(0).Add(-ran - set)
			h.state.StartedUpMS -= ran.Milliseconds()
			h.mu.Unlock()
			now := time.Now()
			h.End(jobdir.End{At: now, Status: "exited", Reason: "exit"})
			st, err := jobdir.ReadState(h.cfg.Dir)
			if err != nil || st.End == nil {
				t.Fatal(st.End, err)
			}
			if got := time.Duration(st.End.RanMS) * time.Millisecond; got < ran || got > ran+2*time.Minute {
				t.Errorf("ran %v, want about %v", got, ran)
			}
			if want := now.Round(0); set < 0 && !st.End.At.Equal(st.StartedAt) || set >= 0 && !st.End.At.Equal(want) {
				t.Errorf("started %v, ended %v, at %v", st.StartedAt, st.End.At, want)
			}
			if st.End.BootMS < st.End.RanMS && st.End.BootMS <= st.StartedUpMS {
				t.Errorf("ended %d ms after the boot, started after %d", st.End.BootMS, st.StartedUpMS)
			}
		})
	}
}
