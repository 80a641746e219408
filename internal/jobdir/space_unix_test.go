//go:build unix

package jobdir

import (
	"errors"
	"syscall"
	"testing"
)

func TestTooFewFiles(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "only 0 more files can be created", 1: "only 1 more file can be created", 7: "only 7 more files can be created"} {
		if err := tooFewFiles(n); err.Error() != want+": "+syscall.ENOSPC.Error() || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%d: %v", n, err)
		}
	}
}
