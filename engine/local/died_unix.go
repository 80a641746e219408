//go:build linux || darwin

package local

import (
	"errors"
	"io/fs"
	"time"

	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// errHolderDied means that a holder went without an answer: it may have started
// the job.
var errHolderDied = errors.New("the job's holder died while it started")

// errHolderVersion means that a holder is of another version, or another build of
// the same, and has started nothing.
var errHolderVersion = errors.New("the program that holds jobs is of another version of hob; install both anew")

// deathTime is how long a killed process may take to let go of its files.
const deathTime = 5 * time.Second

// lostAtStart records that the holder of the job in dir died before it answered,
// so that what it did by then can be ended. It reports false if the holder never
// got as far as holding: nothing was started then. The caller has the job's lock.
func lostAtStart(dir, runtimeDir string) bool {
	if !everHeld(dir) {
		return false
	}
	if _, err := jobdir.ReadState(dir); !errors.Is(err, fs.ErrNotExist) {
		return true // what cannot be read is not replaced either
	}
	st := jobdir.State{Machine: proc.MachineID(), BootID: proc.BootID(), PIDNS: proc.PIDNamespace()}
	if meta, err := jobdir.ReadMeta(dir); err == nil {
		st.Backgrounded, st.Size = meta.Backgrounded, meta.Size
	}
	st.Socket, _ = holder.SocketPath(dir, runtimeDir) // it may have been bound
	_ = jobdir.WriteState(dir, &st)                   // without it the job is lost as well
	return true
}
