package local_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/testtool"
)

// A medium is a real ext4 in a file, which can be made to fail.
type medium struct{ dir, device string }

func newMedium(t *testing.T) medium {
	t.Helper()
	testtool.NeedMounts(t)
	testtool.Need(t, "mkfs.ext4", "losetup")
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 16<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", image).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v: %s", err, out)
	}
	out, err := exec.Command("losetup", "--find", "--show", image).CombinedOutput()
	if err != nil {
		t.Skipf("no loop device: %s", out)
	}
	m := medium{dir: shortDir(t), device: strings.TrimSpace(string(out))}
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", m.device).CombinedOutput(); err != nil {
			t.Errorf("losetup: %s", out)
		}
	})
	if err := unix.Mount(m.device, m.dir, "ext4", 0, "errors=remount-ro"); err != nil {
		t.Skipf("no ext4: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(m.dir, unix.MNT_DETACH) })
	return m
}

// fail makes the file system report damage: it becomes read-only even for open files, which a
// remount cannot do. What has been written so far reaches the device first: the kernel forgets the rest, and when it
// needs memory, a directory that it reads from the device again would be damaged ("bad message").
func (m medium) fail(t *testing.T) {
	t.Helper()
	m.sync(t)
	name := filepath.Base(m.device)
	if !strings.HasPrefix(name, "loop") {
		t.Fatalf("%s is not a loop device", m.device)
	}
	if err := os.WriteFile(filepath.Join("/sys/fs/ext4", name, "trigger_fs_error"), []byte("test"), 0); err != nil {
		t.Skipf("the kernel cannot be asked to fail: %v", err)
	}
	if err := os.WriteFile(filepath.Join(m.dir, "try"), nil, 0o600); !errors.Is(err, syscall.EROFS) {
		t.Fatalf("after the failure: %v", err)
	}
}

func (m medium) sync(t *testing.T) {
	t.Helper()
	dir, err := os.Open(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := unix.Syncfs(int(dir.Fd())); err != nil {
		t.Fatal(err)
	}
}

// TestDiskBecomesReadOnly checks that a job keeps running, can be seen, typed into and ended
// on a disk that can no longer be written to. Its end is then not on disk and must not be invented:
// while its holder lives, the holder reports it; after that the job is lost, never exited with 0.
func TestDiskBecomesReadOnly(t *testing.T) {
	t.Parallel()
	m := newMedium(t)
	p := openPlace(t, filepath.Join(m.dir, "state"))
	mark := filepath.Join(t.TempDir(), "mark")
	s := p.start(t, engine.Spec{PTY: true, Command: []string{"sh", "-c", `echo before; read x; echo "after $x"; : >"$0"; read y; exit 7`, mark}})
	s.printed(t, "before")
	reserved(t, s.dir)
	m.fail(t)
	if err := s.run.Write(t.Context(), []byte("all\n")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the job continues", func() bool { _, err := os.Stat(mark); return err == nil })
	eventually(t, "the screen shows what the disk refused", func() bool {
		screen, err := s.run.Screen(t.Context())
		return err == nil && strings.Contains(screen.Text, "after all")
	})
	if o := p.observe(t, s.dir); o.Status != engine.Running {
		t.Errorf("status %s", o.Status)
	}
	if _, err := p.make(engine.Spec{Script: "true"}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("another job: %v", err)
	}
	job := s.state(t).Leader
	if err := s.run.Write(t.Context(), []byte("end\n")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the job has ended", func() bool { return unix.Kill(job.PID, 0) != nil })
	if o := p.observe(t, s.dir); o.Status.Finished() && (o.Exit.Code == nil || *o.Exit.Code != 7) {
		t.Errorf("an end was invented: %+v", o)
	}
	holder := s.state(t).Holder
	if err := unix.Kill(holder.PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the lock is free", func() bool { return !jobdir.Locked(s.dir) })
	if o := p.observe(t, s.dir); o.Status != engine.Lost {
		t.Errorf("without a holder and without a record: %s", o.Status)
	}
}

// TestInodesRunOut covers a disk with free space but no free inodes.
func TestInodesRunOut(t *testing.T) {
	t.Parallel()
	testtool.NeedMounts(t)
	dir := shortDir(t)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m,nr_inodes=64"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	p := openPlace(t, filepath.Join(dir, "state"))
	s := p.start(t, engine.Spec{PTY: true, Script: "echo before; read x; echo after; exit 8"})
	s.printed(t, "before")
	reserved(t, s.dir)
	for i := 0; ; i++ {
		err := os.WriteFile(filepath.Join(dir, fmt.Sprint("filler-", i)), nil, 0o600)
		if errors.Is(err, syscall.ENOSPC) {
			break
		}
		if err != nil || i > 64 {
			t.Fatalf("file %d: %v", i, err)
		}
	}
	if _, err := p.make(engine.Spec{Script: "true"}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("another job: %v", err)
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
	s.printed(t, "after")
}
