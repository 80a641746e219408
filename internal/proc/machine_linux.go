package proc

import (
	"os"
	"strings"
	"sync"
)

// startOrders says that starts are monotonic: a child never has a smaller one
// than its parent.
const startOrders = true

// BootID names this boot of the machine; "" if unknown.
func BootID() string { return bootID() }

var bootID = sync.OnceValue(func() string { return firstLine("/proc/sys/kernel/random/boot_id") })

// PIDNamespace names the space in which pids of this process are meant; "" if
// unknown.
func PIDNamespace() string { return pidNamespace() }

var pidNamespace = sync.OnceValue(func() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return name
})

// hardwareID is the machine's own name for itself, which is not for
// publication.
func hardwareID() string {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if id := firstLine(path); id != "" && id != "uninitialized" {
			return id
		}
	}
	return ""
}

func firstLine(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line)
}
