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

// Usage is the resource usage of a set of processes.
type Usage struct {
	// RSS is the resident memory in bytes. Shared pages are counted for every process.
	RSS int64
	// CPU is the CPU time of the living processes since their starts.
	CPU time.Duration
	// Percent is the CPU usage since the last sample: 100 is one fully used CPU.
	Percent float64
	// Measured is false for the first sample, which has no Percent.
	Measured bool
}

// Meter computes usage from successive snapshots of a job. The zero value is ready to use. A Meter
// must not be used concurrently.
type Meter struct {
	at   time.Time
	used map[key]time.Duration
}

// key is an Identity that is cheaper to create.
type key struct {
	pid   int
	start uint64
}

// Sample returns the usage of procs, a snapshot taken at now. For a process that started since the
// last sample, all its CPU time counts. For one that ended, the time since the last sample is lost.
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
