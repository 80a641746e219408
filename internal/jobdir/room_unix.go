//go:build linux || darwin

package jobdir

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// minRoom and minFiles are what the records of one job take, from its request to
// its end, with what is set aside for that.
const (
	minRoom  = 48 << 10
	minFiles = 8
)

// Full reports whether the file system of a job's directory has no room for another
// job, so that output of this one may be missing.
func Full(dir string) bool { return roomFor(dir) != nil }

// roomFor tells whether the file system of dir has room for the records of one more
// job: one that could start there but not say how it ended would seem to run for
// ever. What the system does not tell is no reason against it.
func roomFor(dir string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Blocks == 0 {
		return nil
	}
	blocks := st.Bavail
	if os.Geteuid() == 0 {
		blocks = st.Bfree // what is kept for root counts
	}
	if free := blocks * uint64(st.Bsize); free < minRoom {
		return fmt.Errorf("only %d KiB are free: %w", free>>10, syscall.ENOSPC)
	}
	if st.Files > 0 && st.Ffree < minFiles {
		return fmt.Errorf("only %d more files can be made: %w", st.Ffree, syscall.ENOSPC)
	}
	return nil
}
