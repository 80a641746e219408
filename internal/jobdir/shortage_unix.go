//go:build unix

package jobdir

import (
	"errors"
	"syscall"
)

// isShortage reports whether err is of this process or this moment, and not of the
// file.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
