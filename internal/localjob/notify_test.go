//go:build linux || darwin

package localjob

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/notifyevent"
)

// Each event has a pause of its own, but the reports of programs share one, and what is reported several times before it is sent is sent once.
func TestNoticesPause(t *testing.T) {
	var n notices
	start := time.Now()
	n.sent(notifyevent.Blocked, start)
	for _, c := range []struct {
		event notifyevent.Event
		after time.Duration
		want  time.Duration
	}{
		{notifyevent.Blocked, 10 * time.Second, 20 * time.Second},
		{notifyevent.Blocked, 30 * time.Second, 0},
		{notifyevent.Done, 10 * time.Second, 20 * time.Second},
		{notifyevent.NeedsInput, 10 * time.Second, 0},
	} {
		if got := n.wait(c.event, start.Add(c.after)); got != c.want {
			t.Errorf("%s after %v: waits %v, want %v", c.event, c.after, got, c.want)
		}
	}
	n.add(notifyevent.Done)
	n.add(notifyevent.Blocked)
	n.add(notifyevent.Done)
	if diff := cmp.Diff([]notifyevent.Event{notifyevent.Blocked, notifyevent.Done}, n.take()); diff != "" {
		t.Errorf("due (-want +got):\n%s", diff)
	}
	if left := n.take(); len(left) != 0 {
		t.Errorf("due again: %v", left)
	}
}
