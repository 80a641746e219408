//go:build unix

package jobdir

import (
	"errors"
	"syscall"
)

// isShortage reports whether err is a temporary lack of resources, not a property of the
// file.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
