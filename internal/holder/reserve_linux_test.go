package holder

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/testtool"
)

// The output that fills the disk comes after the space for the record of the end.
func TestSpaceIsReservedBeforeOutput(t *testing.T) {
	testtool.NeedMounts(t)
	dir := testtool.TempDir(t)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	t.Setenv("TMPDIR", dir)
	h := newOpened(t, Config{})
	h.Output(make([]byte, 1<<20))
	found, err := filepath.Glob(filepath.Join(h.cfg.Dir, ".*.tmp-*"))
	if err != nil || len(found) != 2 {
		t.Errorf("reserved: %v, %v", found, err)
	}
}
