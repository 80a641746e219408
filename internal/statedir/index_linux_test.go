package statedir

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/testtool"
)

// On a full disk only a part of a line may be written, which would damage the next line.
func TestIndexOnFullDisk(t *testing.T) {
	testtool.NeedMounts(t)
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(disk, unix.MNT_DETACH) })
	r := &Root{disk}
	filler := filepath.Join(disk, "filler")
	if err := r.Make(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filler, make([]byte, 16<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	for r.AddToIndex(full(fmt.Sprintf("job-%05d", n))) == nil {
		if n++; n == 1000 {
			t.Fatal("the disk is never full")
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := r.AddToIndex(full("after-22222")); err != nil {
		t.Fatal(err)
	}
	if x := r.Index(); x.Len() != n+1 || x.Damaged != 0 || x.Find("after-22222") == nil {
		t.Errorf("%d jobs, want %d; %d lines damaged", x.Len(), n+1, x.Damaged)
	}
}
