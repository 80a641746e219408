package proc

import (
	"net/netip"
	"time"
)

// Port is a TCP port that a process listens on.
type Port struct {
	Addr netip.AddrPort
	PID  int
}

// Usage is what a set of processes uses together.
type Usage struct {
	// RSS is resident memory in bytes; shared pages count in every process.
	RSS int64
	// CPU is the processor time of those that live, since their births.
	CPU time.Duration
	// Percent is processor time per real time since the last sample, 100 for
	// one processor that is busy all the time.
	Percent float64
	// Measured is false in the first sample, which has no Percent.
	Measured bool
}

// Meter turns successive snapshots of a job into usage. The zero value is
// ready. It is for one goroutine.
type Meter struct {
	at   time.Time
	used map[key]time.Duration
}

// key is an Identity that needs no allocation.
type key struct {
	pid   int
	start uint64
}

// Sample measures procs, taken at now. A process that appeared since the last
// sample counts with all its time, one that ended with none of its last bit.
func (m *Meter) Sample(procs []Process, now time.Time) Usage {
	var u Usage
	used := make(map[key]time.Duration, len(procs))
	var spent time.Duration
	for _, p := range procs {
		if p.Dead() {
			continue
		}
		k, total := key{p.PID, p.Start}, p.User+p.System
		used[k] = total
		u.RSS += p.RSS
		u.CPU += total
		spent += max(0, total-m.used[k])
	}
	if past := now.Sub(m.at); !m.at.IsZero() && past > 0 {
		u.Measured = true
		u.Percent = 100 * spent.Seconds() / past.Seconds()
	}
	m.at, m.used = now, used
	return u
}
