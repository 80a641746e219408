//go:build !windows

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir flushes a directory's entries, so that files created, renamed or
// removed in it stay so after a power cut. File systems that cannot flush a
// directory are taken as done: there is nothing more a caller could do.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
