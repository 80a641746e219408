package ssh

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// A record that cannot be read at the moment is not replaced by the few facts in a listing of the host.
func TestUnreadableRecordIsKept(t *testing.T) {
	testtool.NeedRoot(t)
	const nobody = 65534
	dir, err := os.MkdirTemp("", "hob") // whose parents every user may traverse
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	before := record.State{StartedAt: time.Unix(1_700_000_000, 0).UTC(), Title: "kept", HostDir: "/there/job"}
	if err := jobdir.WriteState(dir, &before); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, nobody, nobody); err != nil { // they may replace it, but not read it
		t.Fatal(err)
	}
	b := New()
	defer b.Close()
	rec := engine.Record{ID: "job", Dir: dir, Job: engine.Job{Request: engine.Request{Host: "box"}, State: engine.State{Machine: "m"}}}

	runtime.LockOSThread() // the user ID is set per thread
	_ = unix.Setfsuid(nobody)
	_, readErr := os.ReadFile(filepath.Join(dir, jobdir.StateFile))
	b.remember(rec, engine.State{Status: engine.Running, Leader: engine.Identity{PID: 7}}, "boot", "/there/job", true)
	_ = unix.Setfsuid(0)
	runtime.UnlockOSThread()

	if readErr == nil {
		t.Fatal("the record could be read")
	}
	if now, err := jobdir.ReadState(dir); err != nil || now.Title != "kept" || !now.StartedAt.Equal(before.StartedAt) {
		t.Errorf("the record is %+v, %v", now, err)
	}
}
