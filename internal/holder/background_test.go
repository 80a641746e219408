//go:build linux || darwin

package holder

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Two clients send a job to the background at once. Either may exit after its answer, and a
// program that reads the record then finds the job in the background.
func TestBackgroundIsRecordedBeforeEachAnswer(t *testing.T) {
	h := newHeld(t, Config{})
	recorded := make(chan bool, 2)
	background := func() {
		h.Background()
		state, err := jobdir.ReadState(h.cfg.Dir)
		recorded <- err == nil && state.Backgrounded
	}
	h.saveMu.Lock() // simulates a slow disk
	go background()
	for begun := false; !begun; {
		h.mu.Lock()
		begun = h.state.Backgrounded
		h.mu.Unlock()
	}
	go background()
	select { // an answer that does not wait for the disk would arrive
	case ok := <-recorded:
		recorded <- ok
	case <-time.After(20 * time.Millisecond):
	}
	h.saveMu.Unlock()
	for range 2 {
		if !<-recorded {
			t.Error("a client was answered before the job was recorded as in the background")
		}
	}
}
