//go:build !unix

package plainfile

import (
	"io/fs"
	"strconv"
)

const nonblock, nofollow = 0, 0

func isLink(error) bool { return false }

// CheckOwner does nothing on this system, where access control lists protect a user's files.
func CheckOwner(fs.FileInfo) error { return nil }

func userName(uid int) string { return "user " + strconv.Itoa(uid) }
