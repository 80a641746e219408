//go:build linux || darwin

package local_test

import (
	"testing"

	"github.com/hobjobs/hob/engine"
)

// The system counts a job's peak memory from the size of the holder, which says nothing about a
// smaller job.
func TestPeakMemoryIsThatOfTheJob(t *testing.T) {
	t.Parallel()
	const size = 192 << 20
	p := newPlace(t)
	for _, tt := range []struct {
		name     string
		command  []string
		from, to int64
	}{
		{"small", []string{"true"}, 0, 0},
		{"large", []string{"dd", "if=/dev/zero", "of=/dev/null", "bs=201326592", "count=1"}, size, size + size/4},
	} {
		for _, pty := range []bool{true, false} {
			got := p.start(t, engine.Spec{Command: tt.command, PTY: pty}).wait(t)
			if peak := got.MaxRSS; peak < tt.from || peak > tt.to {
				t.Errorf("%s, terminal %v: peak of %d bytes, want %d to %d", tt.name, pty, peak, tt.from, tt.to)
			}
		}
	}
}
