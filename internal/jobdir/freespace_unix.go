//go:build linux || darwin

package jobdir

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// minFreeBytes and minFreeFiles are what the records of one job need, from its request to
// its end, including the space reserved for the end.
const (
	minFreeBytes = 48 << 10
	minFreeFiles = 8
)

// Full reports whether the file system of a job's directory has no space for another job,
// so that output of this one may be missing.
func Full(dir string) bool { return checkFreeSpace(dir) != nil }

// checkFreeSpace returns an error if the file system of dir has no space for the records
// of one more job: a job whose end could not be recorded would seem to run forever. It
// returns nil if the free space is unknown.
func checkFreeSpace(dir string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Blocks == 0 {
		return nil
	}
	blocks := st.Bavail
	if os.Geteuid() == 0 {
		blocks = st.Bfree // includes the blocks reserved for root
	}
	if free := blocks * uint64(st.Bsize); free < minFreeBytes {
		return fmt.Errorf("only %d KiB free: %w", free>>10, syscall.ENOSPC)
	}
	if st.Files > 0 && st.Ffree < minFreeFiles {
		return fmt.Errorf("only %d more files can be created: %w", st.Ffree, syscall.ENOSPC)
	}
	return nil
}
