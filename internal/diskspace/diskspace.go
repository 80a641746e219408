// Package diskspace reports whether a file system has no space for the records of one more job: a job
// whose end cannot be recorded would seem to run forever.
package diskspace

import (
	"fmt"
	"syscall"

	"github.com/hobjobs/hob/internal/units"
)

// minBytes and minFiles are what the records of one job need, from its request to its end, including
// the space reserved for the end.
const (
	minBytes = 48 << 10
	minFiles = 8
)

// Full reports whether the file system of the directory dir has no space for another job, so that
// output of a job there may be missing.
func Full(dir string) bool { return Check(dir) != nil }

// check returns the error of Check for a file system with that much space.
func check(bytes uint64, files uint64) error {
	if bytes < minBytes {
		return fmt.Errorf("only %d KiB free: %w", bytes>>10, syscall.ENOSPC)
	}
	if files < minFiles {
		return fmt.Errorf("only %s can be created: %w", units.Count(int(files), "more file"), syscall.ENOSPC)
	}
	return nil
}
