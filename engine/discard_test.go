package engine_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

func TestDiscardDeletesWithoutTrash(t *testing.T) {
	e, f := withFake(t)
	kept, gone := start(t, e, engine.Spec{}), start(t, e, engine.Spec{})
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{Forever: true}, gone.ID); !errors.Is(err, engine.ErrRunning) {
		t.Fatalf("discarding a running job: %v, want ErrRunning", err)
	}
	for _, j := range []engine.Job{kept, gone} {
		f.Job(j.ID).Exit(0)
		if _, err := e.Handle(j.ID).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, kept.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{Forever: true}, gone.ID); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(e.StateDir(), "*", string(gone.ID)))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	back, err := e.Undo(t.Context())
	if err != nil || len(back) != 1 || back[0].ID != kept.ID {
		t.Errorf("undo brought back %v, %v; want the job that was cleared", back, err)
	}
	if _, err := os.Stat(filepath.Dir(kept.OutputPath)); err != nil {
		t.Error(err)
	}
}

func TestClearRemovesSocketOfKilledHolder(t *testing.T) {
	e, f := withFake(t)
	ended := start(t, e, engine.Spec{})
	f.Job(ended.ID).Exit(0)
	if _, err := e.Handle(ended.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(e.StateDir(), "jobs", string(ended.ID))
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	st, err := jobdir.ReadState(dir)
	if err != nil {
		t.Fatal(err)
	}
	st.Socket = socket
	if err := jobdir.WriteState(dir, &st); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, ended.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}
