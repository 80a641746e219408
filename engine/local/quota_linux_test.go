package local_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

// smallQuota returns a directory on a disk with free space, in which every user is limited to 2
// MiB. It uses btrfs, whose limits do not depend on a kernel built for quotas, as those of ext4 and
// xfs do. A writer gets EDQUOT in all cases. The test is skipped on a kernel without btrfs.
func smallQuota(t *testing.T) string {
	t.Helper()
	testtool.NeedMounts(t)
	testtool.Need(t, "mkfs.btrfs", "btrfs")
	image, disk := filepath.Join(t.TempDir(), "image"), shortDir(t)
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 128<<20)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(disk, "limited")
	for _, c := range [][]string{
		{"mkfs.btrfs", "-q", "-M", image},
		{"mount", "-o", "loop", image, disk},
		{"btrfs", "quota", "enable", disk},
		{"btrfs", "subvolume", "create", dir},
		{"btrfs", "qgroup", "limit", "2M", dir},
	} {
		out, err := exec.Command(c[0], c[1:]...).CombinedOutput()
		switch {
		case err != nil && c[0] == "mount":
			t.Skipf("no btrfs: %s", out)
		case err != nil:
			t.Fatalf("%v: %s", c, out)
		case c[0] == "mount":
			t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
		}
	}
	return dir
}

// TestQuota checks that a job that prints more than its quota keeps running, can be seen and typed
// into, and that its end is recorded when there is room.
func TestQuota(t *testing.T) {
	t.Parallel()
	dir := smallQuota(t)
	p := openPlace(t, filepath.Join(dir, "state"))
	mark := filepath.Join(t.TempDir(), "mark")
	s := p.start(t, engine.Spec{PTY: true, Command: []string{"sh", "-c", `seq 1 1000000; : >"$0"; read x; echo "after $x"; exit 8`, mark}})
	eventually(t, "the job continues", func() bool { _, err := os.Stat(mark); return err == nil })
	eventually(t, "the screen shows what the disk refused", func() bool {
		screen, err := s.run.Screen(t.Context())
		return err == nil && strings.Contains(screen.Text, "1000000")
	})
	if err := os.WriteFile(filepath.Join(dir, "more"), make([]byte, 4<<20), 0o600); !errors.Is(err, syscall.EDQUOT) {
		t.Fatalf("more than may be kept: %v", err)
	}
	if _, err := p.make(engine.Spec{Script: "true"}); err != nil && !errors.Is(err, syscall.EDQUOT) {
		t.Errorf("another job: %v", err)
	}
	if err := s.run.Write(t.Context(), []byte("all\n")); err != nil {
		t.Fatal(err)
	}
	job := s.state(t).Leader
	eventually(t, "the job has ended", func() bool { return unix.Kill(job.PID, 0) != nil })
	if o := p.observe(t, s.dir); o.Status.Finished() && (o.Exit.Code == nil || *o.Exit.Code != 8) {
		t.Errorf("an end was invented: %+v", o)
	}
	// The file system may have no room for this change either until it has written what it has in memory.
	eventually(t, "the quota is raised", func() bool {
		unix.Sync()
		return exec.Command("btrfs", "qgroup", "limit", "64M", dir).Run() == nil
	})
	if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 8 {
		t.Errorf("exit %+v", exit)
	}
	if o := p.observe(t, s.dir); o.Dropped < 1<<20 {
		t.Errorf("dropped %d", o.Dropped)
	}
}
