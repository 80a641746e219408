package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/diskspace"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// onFullDisk returns an engine on a full disk with two finished jobs; the first has most of the
// bytes.
func onFullDisk(t *testing.T) (e *engine.Engine, large, small engine.ID) {
	t.Helper()
	testtool.NeedMounts(t)
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	f := newFake("")
	e = open(t, engine.WithStateDir(filepath.Join(disk, "state")), engine.WithBackend(f))
	var ids [2]engine.ID
	for i := range ids {
		j := start(t, e, engine.Spec{})
		f.Job(j.ID).Exit(0)
		if _, err := e.Handle(j.ID).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ids[i] = j.ID
	}
	if err := os.WriteFile(filepath.Join(f.Job(ids[0]).Launch.Dir, jobdir.OutputFile), make([]byte, 500<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(disk, "filler"), make([]byte, 1<<20), 0o600); err == nil || !full(e) {
		t.Fatal("the disk has room")
	}
	return e, ids[0], ids[1]
}

func full(e *engine.Engine) bool { return diskspace.Full(e.StateDir()) }

func TestStartOnFullDiskEmptiesTrash(t *testing.T) {
	e, large, _ := onFullDisk(t)
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, large); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Start(t.Context(), engine.Spec{Command: []string{"true"}}); err != nil {
		t.Errorf("start: %v", err)
	}
	if _, err := e.Undo(t.Context()); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("undo: %v", err)
	}
}

func TestClearOnFullDiskEmptiesTrashFirst(t *testing.T) {
	e, large, small := onFullDisk(t)
	for _, id := range []engine.ID{large, small} {
		if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, id); err != nil {
			t.Fatal(err)
		}
	}
	if full(e) {
		t.Error("the second clear has not made room")
	}
	if jobs, err := e.Undo(t.Context()); err != nil || len(jobs) != 1 || jobs[0].ID != small {
		t.Errorf("undo: %v, %v", ids(jobs), err)
	}
}

func TestDiscardFreesSpaceAtOnce(t *testing.T) {
	e, large, small := onFullDisk(t)
	trash := filepath.Join(e.StateDir(), "trash")
	// The trash cannot be created, as in the state directory of an earlier version.
	if err := errors.Join(os.RemoveAll(trash), os.WriteFile(trash, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(trash) })
	jobs, err := e.Remove(t.Context(), engine.RemoveOptions{Forever: true}, large, small)
	if err != nil || len(jobs) != 2 || full(e) {
		t.Errorf("discarded %v, %v; full %v", ids(jobs), err, full(e))
	}
	left, err := os.ReadDir(filepath.Join(e.StateDir(), "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		if jobdir.ValidID(entry.Name()) {
			t.Errorf("left: %s", entry.Name())
		}
	}
}

func TestEmptyTrash(t *testing.T) {
	e, large, small := onFullDisk(t)
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, large, small); err != nil {
		t.Fatal(err)
	}
	if jobs, err := e.EmptyTrash(t.Context()); err != nil || len(jobs) != 2 || full(e) {
		t.Errorf("deleted %v, %v; full %v", ids(jobs), err, full(e))
	}
	if jobs, err := e.EmptyTrash(t.Context()); err != nil || len(jobs) != 0 {
		t.Errorf("again: %v, %v", ids(jobs), err)
	}
}
