package plainfile

import (
	"io/fs"
	"strconv"

	"golang.org/x/sys/windows"
)

const nonblock, nofollow = 0, 0

func isLink(error) bool { return false }

// IsShortage reports whether an open failed by a temporary lack of resources, not a property of the
// file.
func IsShortage(err error) bool {
	return matchesAny(err, windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_SHARING_VIOLATION, windows.ERROR_NOT_ENOUGH_MEMORY)
}

// CheckOwner does nothing on this system, where access control lists protect a user's files.
func CheckOwner(fs.FileInfo) error { return nil }

// CheckPath does nothing on this system, for the same reason.
func CheckPath(string) error { return nil }

func userName(uid int) string { return "user " + strconv.Itoa(uid) }
