//go:build unix

package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// gate is a FIFO on which a job waits, so that the test decides when the job continues.
type gate struct {
	t    *testing.T
	path string
	f    *os.File
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{t: t, path: filepath.Join(t.TempDir(), "gate")}
	if err := unix.Mkfifo(g.path, 0o600); err != nil {
		t.Fatal(err)
	}
	// Opening for reading and writing does not block.
	f, err := os.OpenFile(g.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	g.f = f
	t.Cleanup(func() { f.Close() })
	return g
}

// open lets one reader continue.
func (g *gate) open() {
	g.t.Helper()
	if _, err := g.f.WriteString("go\n"); err != nil {
		g.t.Fatal(err)
	}
}

// rawArgs parses the arguments of a call as hints show it, without the tool's name.
func rawArgs(t *testing.T, text string) map[string]any {
	t.Helper()
	var args map[string]any
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		t.Fatal(err)
	}
	delete(args, "tool")
	return args
}

// wait blocks until a job has opened the gate for writing.
func (g *gate) wait() {
	g.t.Helper()
	if err := g.f.SetReadDeadline(time.Now().Add(patience)); err != nil {
		g.t.Fatal(err)
	}
	var line [64]byte
	if _, err := g.f.Read(line[:]); err != nil {
		g.t.Fatal(err)
	}
}

// cancelled cancels a call of bash once its command has passed the gate, and checks that its
// processes end.
func (h *home) cancelled(p *peer, gate *gate, command params) {
	t := h.t
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := p.try(ctx, "bash", command)
		done <- err
	}()
	gate.wait()
	running := h.jobs()
	cancel()
	if err := <-done; err == nil {
		t.Error("the cancelled call has an answer")
	}
	if len(running) != 1 {
		t.Fatalf("running was %+v", running)
	}
	// The server handles the next call after the cancellation; the job and its processes end by
	// then or soon after.
	h.gone(running[0].ID)
}
