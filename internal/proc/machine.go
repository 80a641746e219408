package proc

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"sync"
	"time"
)

// MachineID identifies this machine, or this container if it has its own machine id or host
// name. It has 32 hexadecimal digits, a hash of the system's machine id or else of the host
// name.
func MachineID() string { return machineID() }

var machineID = sync.OnceValue(findMachineID)

func findMachineID() string {
	seed := "hardware:" + hardwareID()
	if seed == "hardware:" {
		name, err := os.Hostname()
		if err != nil || name == "" {
			return ""
		}
		seed = "hostname:" + name
	}
	sum := sha256.Sum256([]byte("hob machine id\x00" + seed))
	return hex.EncodeToString(sum[:16])
}

// The same moment by the clock of this process and by the system's monotonic clock, which run
// at the same rate.
var (
	anchor   = time.Now()
	anchorUp = readRunningClock()
)

// RunningAt returns how long the machine had been running at t, without the time that it was
// suspended. It is for timeouts and uptimes, because this clock cannot be set and is shared by
// all processes of a boot. If t has no monotonic reading, the result depends on the wall clock.
func RunningAt(t time.Time) time.Duration {
	return anchorUp - namespaceOffsets().running + t.Sub(anchor)
}

// clockOffsets are the offsets of this process's clocks from those of the machine.
type clockOffsets struct{ running, sinceBoot time.Duration }
