//go:build unix

package plainfile

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

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
