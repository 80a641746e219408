package proc

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The clocks that nobody sets: one that stands still while the machine sleeps,
// and one that does not.
const (
	clockRunning   = unix.CLOCK_MONOTONIC
	clockSinceBoot = unix.CLOCK_BOOTTIME
)

// clocksAhead is what the time namespace of this process adds to its clocks, so
// that processes of several namespaces count alike.
var clocksAhead = sync.OnceValue(func() ahead {
	data, err := os.ReadFile("/proc/self/timens_offsets")
	if err != nil { // a kernel without such namespaces
		return ahead{}
	}
	return parseOffsets(string(data))
})

func parseOffsets(text string) (a ahead) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		s, err1 := strconv.ParseInt(f[1], 10, 64)
		ns, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		by := time.Duration(s)*time.Second + time.Duration(ns)
		switch f[0] {
		case "monotonic":
			a.running = by
		case "boottime":
			a.sinceBoot = by
		}
	}
	return a
}
