package proc

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"sync"
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
