//go:build linux || darwin

package holder

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// A client that has shown the end to a user disconnects, maybe before the holder decides whether to
// notify the user.
func TestWatchedByAClientThatLeaves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		shows bool
		early bool // it leaves before the end
		want  bool
	}{
		{"a client that shows the end", true, false, true},
		{"a client that left before the end", true, true, false},
		{"a client without a user", false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHeld(t, Config{})
			client := dialed(t, h)
			if err := client.Stream(t.Context(), TypeSubscribe, Subscribe{Shows: c.shows}); err != nil {
				t.Fatal(err)
			}
			if h.Watched() != c.shows {
				t.Errorf("watched %v while a client is connected, want %v", !c.shows, c.shows)
			}
			leave := func() {
				client.Close()
				for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
					h.mu.Lock()
					left := len(h.conns) == 0
					h.mu.Unlock()
					if left {
						return
					}
					if time.Now().After(end) {
						t.Fatal("the holder keeps the connection of a client that has left")
					}
				}
			}
			if c.early {
				leave()
			}
			h.End(record.Exit{At: time.Now(), Status: record.Exited, Reason: record.ReasonExit})
			if !c.early {
				leave()
			}
			if got := h.Watched(); got != c.want {
				t.Errorf("watched %v, want %v", got, c.want)
			}
		})
	}
}
