package selection

import (
	"testing"
	"time"
)

func TestPressCountsQuickClicksInOnePlace(t *testing.T) {
	var c Clicks
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

func TestSpanOfALine(t *testing.T) {
	type point = Point[int]
	forward := Range[int]{From: point{Line: 2, X: 3}, To: point{Line: 4, X: 1}, On: true}
	backward := Range[int]{From: forward.To, To: forward.From, On: true}
	for line, want := range map[int][2]int{1: {0, 0}, 2: {3, 10}, 3: {0, 10}, 4: {0, 2}, 5: {0, 0}} {
		for name, r := range map[string]Range[int]{"forward": forward, "backward": backward} {
			if from, to := r.Span(line, 10); [2]int{from, to} != want {
				t.Errorf("%s, line %d: %d to %d, want %v", name, line, from, to, want)
			}
		}
	}
	if from, to := forward.Span(2, 2); from != 2 || to != 2 {
		t.Errorf("beyond a short line: %d to %d", from, to)
	}
	off := forward
	off.On = false
	if from, to := off.Span(3, 10); from != 0 || to != 0 {
		t.Errorf("a range that is off: %d to %d", from, to)
	}
}

func TestWordClass(t *testing.T) {
	for class, chars := range map[int]string{0: " \t", 1: "aä漢7_/.:-@%=", 2: "\"'()[]{}<>|;,$*│"} {
		for _, r := range chars {
			if got := WordClass(string(r)); got != class {
				t.Errorf("%q is of class %d, want %d", r, got, class)
			}
		}
	}
}
