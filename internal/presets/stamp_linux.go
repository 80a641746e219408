package presets

import (
	"io/fs"
	"syscall"
)

// stampOf is the zero value where the system does not tell enough.
func stampOf(fi fs.FileInfo) stamp {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{int64(st.Ino), int64(st.Dev), fi.Size(), st.Mtim.Nano(), st.Ctim.Nano()} //nolint:gosec,unconvert // compared, nothing else; of other widths elsewhere
}
