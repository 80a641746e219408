package engine

import (
	"testing"
	"time"
)

// Who reads up to each offset in turn never comes across one twice.
func TestOffsetsOfAStepGrow(t *testing.T) {
	began := time.Now()
	s := step{
		old: Job{Status: Starting},
		new: Job{Status: Running, StartedAt: began, Output: 8, Backgrounded: true, Waiting: true},
	}
	at := int64(0)
	for _, ev := range changes(s, began) {
		switch {
		case ev.Kind == EventOutput && ev.Offset <= at:
			t.Errorf("output up to %d after a fact at %d", ev.Offset, at)
		case ev.Offset < at:
			t.Errorf("%s at %d after a fact at %d", ev.Kind, ev.Offset, at)
		}
		at = ev.Offset
	}
	if at != 8 {
		t.Errorf("the facts reach %d of 8 bytes", at)
	}
}
