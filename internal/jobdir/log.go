package jobdir

import (
	"errors"
	"io/fs"
	"os"

	"github.com/hobjobs/hob/internal/logfile"
)

// OpenLog opens a log of the job in dir, by its file name, with the hole that the holder
// has recorded. If the job has not started, the log is empty until the holder creates it.
// The error matches fs.ErrNotExist if the log was deleted, alone or with its directory.
func OpenLog(dir, name string) (*logfile.File, error) {
	path := inDir(dir, name)
	var recorded func() logfile.Hole
	if name != StderrFile { // only the hole of the first log is recorded
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
	// The start is recorded after the log is created, so it exists by now.
	return logfile.Open(path, recorded)
}

func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
