//go:build linux || darwin

package holder

import (
	"io"
	"os"
	"testing"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

// A client that can read output can read its time too, so that no line is without one.
func TestTimeIsRecordedBeforeOutput(t *testing.T) {
	h := newOpened(t, Config{})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if h.out, err = logfile.NewWriter(w, logfile.Config{}); err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() { // waits for the reader: a pipe does not take that much
		defer close(written)
		h.Output(make([]byte, 1<<20))
		w.Close()
	}()
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	times, err := jobdir.OpenTimes(h.cfg.Dir)
	if err != nil {
		t.Error(err)
	} else {
		if _, ok := times.WrittenAt(t.Context(), 0); !ok {
			t.Error("the first byte has no time")
		}
		times.Close()
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Error(err)
	}
	<-written
}
