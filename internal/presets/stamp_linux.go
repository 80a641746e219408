package presets

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// stampOf is the stamp of a file, and when that was changed; empty where the system does
// not tell enough.
func stampOf(fi fs.FileInfo) (s stamp, changed time.Time) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}
	}
	return stamp(fmt.Sprint(st.Ino, st.Dev, st.Size, st.Mtim.Nano(), st.Ctim.Nano())), time.Unix(0, st.Ctim.Nano())
}
