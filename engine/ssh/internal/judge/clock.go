package judge

import (
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// The clock of a host may be wrong and may be set while a job runs, and so may the clock here. They are
// never compared with each other.

// when converts a moment on the host to local time. The uptime is preferred: it does not step when
// the clock is set.
func (l *Look) when(m *jobdir.ShellMoment, boot string) time.Time {
	if m == nil {
		return time.Time{}
	}
	ago, known := l.since(m, boot)
	if !known {
		ago = float64(l.Clock.Date - m.Date)
	}
	return l.At.Add(-time.Duration(max(0, ago) * float64(time.Second)))
}

// since returns how many seconds before the look the moment m in the boot of that name was, by the
// host's clock since boot. It is unknown for another boot.
func (l *Look) since(m *jobdir.ShellMoment, boot string) (seconds float64, known bool) {
	switch {
	case boot == "-", boot != l.Clock.Boot:
		return 0, false
	case m.Up < 0, l.Clock.Up < m.Up:
		return 0, false
	}
	return l.Clock.Up - m.Up, true
}

// ran is how long the job had run when it was observed. It is unaffected by clock changes on either side
// and by suspension of this machine.
func (l *Look) ran() (d time.Duration, known bool) {
	if l.Entry.Started == nil {
		return 0, false
	}
	seconds, known := l.since(l.Entry.Started, l.Entry.BootOf())
	return time.Duration(seconds * float64(time.Second)), known
}

// steady returns before if it differs from now only by the latency of answers, otherwise now.
func steady(before, now engine.Milliseconds) engine.Milliseconds {
	if before != 0 && (now-before).Duration().Abs() < time.Second {
		return before
	}
	return now
}
