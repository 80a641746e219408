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

// While the end cannot be recorded, other changes must not write state.json, and must not be lost.
func TestChangesWhileEndIsUnrecorded(t *testing.T) {
	h := newHeld(t, Config{})
	state := filepath.Join(h.cfg.Dir, jobdir.StateFile)
	// A file cannot be renamed to the path of a directory.
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
		t.Error("Background reports no change")
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
