package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
	"github.com/hobjobs/hob/internal/testtool"
)

// smallDisk mounts a file system of that size.
func smallDisk(t *testing.T, bytes string) string {
	t.Helper()
	testtool.NeedMounts(t)
	dir := shortDir(t)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+bytes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "1m")
	p := openPlace(t, filepath.Join(dir, "state"))
	mark := filepath.Join(t.TempDir(), "mark")
	s := p.start(t, engine.Spec{PTY: true, Command: []string{"sh", "-c", `seq 1 400000; : >"$0"; read x; echo "after $x"; exit 8`, mark}})
	// The job writes 2.8 MB to a disk of 1 MB, and does not block.
	eventually(t, "the job continues", func() bool { _, err := os.Stat(mark); return err == nil })
	var lost int64
	eventually(t, "loss", func() bool {
		ctx, cancel := contextWithTimeout()
		defer cancel()
		err := s.run.Watch(ctx, func(o engine.State, _ engine.Note) {
			lost = o.Dropped
			cancel()
		})
		return err != nil && lost > 1<<20
	})
	eventually(t, "the screen shows what the disk refused", func() bool {
		screen, err := s.run.Screen(t.Context())
		return err == nil && strings.Contains(screen.Text, "400000")
	})
	if err := s.run.Write(t.Context(), []byte("all\n")); err != nil {
		t.Fatal(err)
	}
	if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 8 {
		t.Errorf("exit %+v", exit)
	}
	if n, ok := jobdir.ReadExitCode(s.dir); !ok || n != 8 {
		t.Errorf("exit_code %d, %v", n, ok)
	}
	if o := p.observe(t, s.dir); o.Dropped < 1<<20 {
		t.Errorf("dropped %d", o.Dropped)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "1m")
	p := openPlace(t, filepath.Join(dir, "state"))
	l, err := p.make(engine.Spec{Script: "true"})
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := p.b.Start(t.Context(), l); err == nil || !strings.Contains(err.Error(), "read-only file system") {
		t.Errorf("start: %v", err)
	}
}

func TestEndIsRecordedOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "256k")
	p := openPlace(t, filepath.Join(dir, "state"))
	s := p.start(t, engine.Spec{PTY: true, Script: "read x; seq 1 100000; exit 8"})
	reserved(t, s.dir)
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 8 {
		t.Errorf("exit %+v", exit)
	}
	if code, ok := jobdir.ReadExitCode(s.dir); !ok || code != 8 {
		t.Errorf("exit_code %d, %v", code, ok)
	}
	if left := reserves(s.dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A job may be the one that fills the disk, and end before the holder notices.
func TestEndIsRecordedIfJobFillsDisk(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]engine.Spec{
		"terminal":         {PTY: true},
		"one log":          {},
		"separate streams": {Split: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := smallDisk(t, "256k")
			p := openPlace(t, filepath.Join(dir, "state"))
			spec.Script = "head -c 1000000 /dev/zero; exit 8"
			s := p.start(t, spec)
			if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 8 {
				t.Errorf("exit %+v", exit)
			}
			if code, ok := jobdir.ReadExitCode(s.dir); !ok || code != 8 {
				t.Errorf("exit_code %d, %v", code, ok)
			}
		})
	}
}

// A job whose end could not be recorded would seem to run forever.
func TestStartFailsWithoutRoomForEnd(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{"bytes": "32k", "files": "1m,nr_inodes=6"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPlace(t, filepath.Join(smallDisk(t, options), "state"))
			_, err := p.make(engine.Spec{Script: "true"})
			if root, ok := errors.AsType[*statedir.RootError](err); !ok || !errors.Is(err, unix.ENOSPC) || !strings.Contains(root.Hint, "free disk space") {
				t.Errorf("made: %v", err)
			}
		})
	}
}

// reserved waits until the holder has reserved space.
func reserved(t *testing.T, dir string) {
	t.Helper()
	eventually(t, "space is set aside", func() bool { return len(reserves(dir)) == 2 })
}

func reserves(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, ".*.tmp-*"))
	return found
}

func TestEndWaitsForDisk(t *testing.T) {
	t.Parallel()
	s, room := onFullDisk(t, "read x; exit 8")
	if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	job := s.state(t).Leader
	eventually(t, "the job has ended", func() bool { return unix.Kill(job.PID, 0) != nil })
	if o := s.p.observe(t, s.dir); o.Status.Finished() {
		t.Errorf("ended without a record: %s", o.Status)
	}
	room()
	if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 8 {
		t.Errorf("exit %+v", exit)
	}
}

// Stop returns when the job has ended even if that cannot be recorded, with the reason.
func TestStopDoesNotWaitForDisk(t *testing.T) {
	t.Parallel()
	s, room := onFullDisk(t, "exec sleep 1000")
	job := s.state(t).Leader
	for range 2 {
		_, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"})
		if err == nil || !strings.Contains(err.Error(), "no space left on device") {
			t.Errorf("stop: %v", err)
		}
	}
	if unix.Kill(job.PID, 0) == nil {
		t.Error("it still runs")
	}
	room()
	if exit := s.wait(t); exit.Status != engine.Killed || exit.EndedBy != "test" {
		t.Errorf("exit %+v", exit)
	}
}

// onFullDisk starts a job on a disk that is then full and has no space reserved for the job's end,
// as on a file system that does not support it; room frees space.
func onFullDisk(t *testing.T, script string) (s startedAt, room func()) {
	t.Helper()
	dir := smallDisk(t, "256k")
	p := openPlace(t, filepath.Join(dir, "state"))
	s = startedAt{p.start(t, engine.Spec{PTY: true, Script: script}), p}
	reserved(t, s.dir)
	for _, file := range reserves(s.dir) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	return s, func() {
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
}

// startedAt is a job and where it was started.
type startedAt struct {
	started
	p *place
}
