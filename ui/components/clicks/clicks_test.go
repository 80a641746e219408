package clicks

import (
	"testing"
	"time"
)

func TestClicksCountInQuickSuccessionOnOnePlace(t *testing.T) {
	var c Counter
	now := time.Unix(0, 0)
	for i, step := range []struct {
		place int
		after time.Duration
		want  int
	}{
		{1, 0, 1}, {1, within, 2}, {1, within, 3}, {1, within, 1},
		{2, 0, 1}, {2, within + 1, 1}, {2, 0, 2}, {1, 0, 1},
	} {
		now = now.Add(step.after)
		if got := c.Press(step.place, now); got != step.want {
			t.Errorf("click %d counts as %d, want %d", i+1, got, step.want)
		}
	}
}
