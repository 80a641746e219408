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

// checkOwner refuses a state root of another user: records written there could
// not be read by its owner, and its jobs are not ours to judge.
func checkOwner(path string, fi fs.FileInfo) error {
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
		Why:  fmt.Sprintf("belongs to %s, and this is %s", userName(owner), userName(self)),
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

// isShortage reports whether err is of this process or this moment, and not of the
// file.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
