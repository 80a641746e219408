//go:build !windows

package cli

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// inheritedDescriptors are those beyond the usual three that we were started with, but
// for numbers that our limit keeps others from having: it was set after they were
// opened. All others of ours are closed in programs that we execute.
func inheritedDescriptors() (numbers []int) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil
	}
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return nil // then nothing can name one either
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil || n < 3 || uint64(n) >= limit.Cur {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(n), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
