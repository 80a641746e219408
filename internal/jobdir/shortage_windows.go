package jobdir

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isShortage reports whether err is of this process or this moment, and not of the
// file.
func isShortage(err error) bool {
	return errors.Is(err, windows.ERROR_TOO_MANY_OPEN_FILES) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY)
}
