//go:build unix

package plainfile

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// nonblock makes the open of a pipe return at once; it has no effect on a regular file.
	nonblock = unix.O_NONBLOCK
	// nofollow refuses a symbolic link as the last part of a path.
	nofollow = unix.O_NOFOLLOW
)

// isLink reports whether the open failed because of a symbolic link. FreeBSD returns EMLINK.
func isLink(err error) bool { return matchesAny(err, unix.ELOOP, unix.EMLINK) }

// IsShortage reports whether an open failed by a temporary lack of resources, not a property of the
// file.
func IsShortage(err error) bool {
	return matchesAny(err, unix.EMFILE, unix.ENFILE, unix.ENOMEM)
}

// CheckOwner returns an [OwnerError] if the file or directory of fi belongs to another user, who
// could read what this user writes there.
func CheckOwner(fi fs.FileInfo) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return nil
	}
	return &OwnerError{Owner: int(st.Uid), User: os.Geteuid()}
}

func userName(uid int) string {
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return "user " + strconv.Itoa(uid)
	}
	return u.Username
}
