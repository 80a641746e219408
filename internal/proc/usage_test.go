package proc

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMeter(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1000+int64(s), 0) }
	p := func(pid int, start uint64, used time.Duration) Process {
		return Process{PID: pid, Start: start, State: 'R', Threads: 1, User: used / 2, System: used / 2, RSS: 1000}
	}
	zombie := p(9, 1, time.Hour)
	zombie.State = 'Z'
	var m Meter
	for _, step := range []struct {
		name  string
		at    int
		procs []Process
		want  Usage
	}{
		{"first", 0, []Process{p(1, 1, 4*time.Second)}, Usage{RSS: 1000, CPU: 4 * time.Second}},
		{"busy and a new one", 2, []Process{p(1, 1, 5*time.Second), p(2, 2, time.Second)}, Usage{RSS: 2000, CPU: 6 * time.Second, Percent: 100, Measured: true}},
		{"one ended, a zombie", 4, []Process{p(1, 1, 6*time.Second), zombie}, Usage{RSS: 1000, CPU: 6 * time.Second, Percent: 50, Measured: true}},
		{"pid recycled", 5, []Process{p(1, 9, time.Second/2)}, Usage{RSS: 1000, CPU: time.Second / 2, Percent: 50, Measured: true}},
		{"no time between", 5, []Process{p(1, 9, time.Second)}, Usage{RSS: 1000, CPU: time.Second}},
		{"no process", 6, nil, Usage{Measured: true}},
	} {
		if diff := cmp.Diff(step.want, m.Sample(step.procs, at(step.at))); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
}
