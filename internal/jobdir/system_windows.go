package jobdir

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

// Access lists, not modes, guard a profile's directories on Windows.
const privateModes = false

func checkOwner(string, fs.FileInfo) error { return nil }

// isShortage reports whether err is of this process or this moment, and not of the
// file.
func isShortage(err error) bool {
	return errors.Is(err, windows.ERROR_TOO_MANY_OPEN_FILES) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY)
}
