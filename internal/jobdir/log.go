package jobdir

import (
	"errors"
	"io/fs"
	"os"

	"github.com/hobjobs/hob/internal/logfile"
)

// OpenLog opens a log of the job in dir, by its file's name, with the hole that its
// holder has recorded. The log of a job whose start is not recorded may still be
// made, or never was: it is empty until then. The error matches fs.ErrNotExist for a
// log that was deleted, alone or with its directory.
func OpenLog(dir, name string) (*logfile.File, error) {
	path := inDir(dir, name)
	var recorded func() logfile.Hole
	if name != StderrFile { // of two logs the record tells only the first
		recorded = func() logfile.Hole {
			st, err := ReadState(dir)
			if err != nil {
				return logfile.Hole{}
			}
			return logfile.Hole{Start: st.Hole.Start, End: st.Hole.End, Lines: st.HoleLines}
		}
	}
	f, err := logfile.Open(path, recorded)
	if !errors.Is(err, fs.ErrNotExist) || absent(dir) {
		return f, err
	}
	st, stateErr := ReadState(dir)
	if errors.Is(stateErr, fs.ErrNotExist) || stateErr == nil && st.StartedAt.IsZero() {
		return logfile.OpenLater(path, recorded), nil
	}
	// The log comes before the record of the start: by now it is there.
	return logfile.Open(path, recorded)
}

func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
