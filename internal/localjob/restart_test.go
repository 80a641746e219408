//go:build linux || darwin

package localjob

import (
	"testing"
	"time"
)

func TestPauseBetweenRuns(t *testing.T) {
	k := kept{}
	steps := []struct{ ran, want time.Duration }{
		{0, time.Second},
		{time.Second, 2 * time.Second},
		{0, 4 * time.Second},
		{59 * time.Second, 8 * time.Second},
		{0, 16 * time.Second},
		{0, 32 * time.Second},
		{0, time.Minute},
		{0, time.Minute},
		{time.Minute, time.Second},
		{0, 2 * time.Second},
	}
	for i, s := range steps {
		if got := k.nextPause(s.ran); got != s.want {
			t.Errorf("end %d, after %v: %v, want %v", i+1, s.ran, got, s.want)
		}
	}
}

func TestConstantPauseBetweenRuns(t *testing.T) {
	k := kept{constant: 3 * time.Second}
	for i, ran := range []time.Duration{0, 0, 2 * time.Minute, 0} {
		if got := k.nextPause(ran); got != k.constant {
			t.Errorf("end %d: %v, want %v", i+1, got, k.constant)
		}
	}
}
