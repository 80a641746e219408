package jobdir

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

// On Windows, access control lists protect a user's directories, not modes.
const privateModes = false

func checkOwner(string, fs.FileInfo) error { return nil }

// isShortage reports whether err is a temporary lack of resources, not a property of the
// file.
func isShortage(err error) bool {
	return errors.Is(err, windows.ERROR_TOO_MANY_OPEN_FILES) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY)
}
