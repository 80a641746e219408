//go:build unix

package jobdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

const privateModes = true

// CheckOwner refuses a directory of another user, who could not read what this user writes there.
func CheckOwner(path string, fi fs.FileInfo) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return ownedBy(path, int(st.Uid), os.Geteuid())
}

func ownedBy(path string, owner, self int) error {
	if owner == self {
		return nil
	}
	e := &RootError{
		Path: path,
		Why:  fmt.Sprintf("belongs to %s, not to %s", userName(owner), userName(self)),
		Hint: "set HOB_STATE_DIR to a directory of your own",
		Err:  fs.ErrPermission,
	}
	if self == 0 {
		e.Hint = "use sudo -H, which sets HOME too, or set HOB_STATE_DIR"
	}
	return e
}

func userName(uid int) string {
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return "user " + strconv.Itoa(uid)
	}
	return u.Username
}

// isShortage reports whether err is a temporary lack of resources, not a property of the
// file.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
