//go:build !linux && !darwin

package localclient

// HasHolders reports whether this system supports holders.
const HasHolders = false

// IsHolder reports whether this process was started to be the holder of a job. This system has no
// holders.
func IsHolder() bool { return false }

// Launcher starts no jobs on this system.
type Launcher struct{ Command []string }

// Reap does nothing.
func (*Launcher) Reap() {}
