package proc

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"sync"
	"time"
)

// MachineID names this machine, or this container if it has a machine id or a
// host name of its own: 32 hexadecimal digits that do not reveal the machine's
// own id. Without such an id the host name takes its place.
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

// The monotonic clock at one moment, as the system counts it and as this process
// does: the two go alike.
var (
	anchor   = time.Now()
	anchorUp = runningHere()
)

// RunningAt is how long the machine has run since it started at a moment of this
// process, without the time that it slept: the clock of timeouts and uptimes, which
// nobody can set and which all processes of one boot share. Of a moment without a
// monotonic reading it is only as good as the wall clock.
func RunningAt(t time.Time) time.Duration {
	return anchorUp - clocksAhead().running + t.Sub(anchor)
}

// ahead is by how much the clocks of this process are ahead of the machine's.
type ahead struct{ running, sinceBoot time.Duration }
