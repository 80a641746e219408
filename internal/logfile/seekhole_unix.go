//go:build linux || darwin

package logfile

import (
	"errors"
	"os"
	"syscall"
)

// dataAfterHole finds the end of the hole that begins exactly at off in a file
// of this size; false if the file has data there or cannot tell.
func dataAfterHole(f *os.File, off, size int64) (int64, bool) {
	at, err := f.Seek(off, seekHole)
	if err != nil || at != off {
		return 0, false
	}
	end, err := f.Seek(off, seekData)
	if errors.Is(err, syscall.ENXIO) {
		return size, true
	}
	return end, err == nil && end > off
}
