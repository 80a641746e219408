//go:build linux || darwin

package holder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// While the end waits to be recorded nobody else does, and nothing that is written
// meanwhile takes its place.
func TestWhatHappensWhileTheEndCannotBeRecorded(t *testing.T) {
	h := held(t, Config{})
	state := filepath.Join(h.cfg.Dir, jobdir.StateFile)
	// Nothing can be renamed onto a directory that is not one.
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	code := 3
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.End(record.Exit{At: time.Now(), Status: "exited", Reason: "exit", Code: &code})
	}()
	for h.Unrecorded() == nil {
		time.Sleep(time.Millisecond)
	}
	if !h.Background() {
		t.Error("that it is in the background is no news")
	}
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	<-ended
	st, err := jobdir.ReadState(h.cfg.Dir)
	if err != nil || !st.Exit.Known() || *st.Exit.Code != 3 || !st.Backgrounded || h.Unrecorded() != nil {
		t.Errorf("recorded %+v, %v; refused %v", st, err, h.Unrecorded())
	}
}
