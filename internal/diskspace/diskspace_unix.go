//go:build linux || darwin

package diskspace

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Check returns an error if the file system of the directory dir has no space for another job. It
// returns nil if the free space is unknown.
func Check(dir string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Blocks == 0 {
		return nil
	}
	blocks := st.Bavail
	if os.Geteuid() == 0 {
		blocks = st.Bfree // includes the blocks reserved for root
	}
	files := uint64(math.MaxUint64)
	if st.Files > 0 { // otherwise the file system does not limit them
		files = st.Ffree
	}
	return check(blocks*uint64(st.Bsize), files)
}
