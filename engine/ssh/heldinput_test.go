//go:build unix

package ssh

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
)

// A job that does not read its input fails a write, and the error has exactly what the job still gets.
func TestInputOfHeldJobThatDoesNotRead(t *testing.T) {
	t.Parallel()
	r := newHeldRig(t, sshtest.BuildHolder(t), func(*sshtest.Server) {})
	read := filepath.Join(t.TempDir(), "read")
	j := r.start("until [ -e "+read+" ]; do sleep 0.05; done; wc -c", func(s *engine.Spec) { s.Stdin = true })
	err := r.e.Handle(j.ID).Write(r.ctx(), bytes.Repeat([]byte("x"), 3*writeStep))
	full, ok := errors.AsType[*InputFullError](err)
	if !ok {
		t.Fatalf("error %v", err)
	}
	if err := os.WriteFile(read, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.e.Handle(j.ID).CloseInput(r.ctx()); err != nil {
		t.Fatal(err)
	}
	r.wait(j.ID)
	if got := strings.TrimSpace(r.read(j.ID)); got != strconv.Itoa(full.Taken) || full.Taken == 0 {
		t.Errorf("the job got %s bytes, the error has %d", got, full.Taken)
	}
}
