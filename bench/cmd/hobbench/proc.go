//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ticks a second in /proc/PID/stat, the same on every Linux.
const ticks = 100

// process is a process at one moment: its number and when it started.
type process struct {
	pid   int
	start string
}

func lookUp(pid int) process { return process{pid, statField(pid, 22)} }

// gone reports whether it has ended, reaped or not.
func (p process) gone() bool {
	switch statField(p.pid, 3) {
	case "", "Z", "X":
		return true
	}
	return statField(p.pid, 22) != p.start
}

// kill ends it if it is still the same.
func (p process) kill() {
	if !p.gone() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may have ended meanwhile
	}
}

// statField is a field of /proc/PID/stat, counted from 1 as in proc(5); empty
// when there is no such process.
func statField(pid, n int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name, field 2, may hold anything; it ends at the last parenthesis.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if n < 3 || n-3 >= len(fields) {
		return ""
	}
	return fields[n-3]
}

// cpuTime is the processor time that the processes have used.
func cpuTime(pids ...int) time.Duration {
	var sum int
	for _, pid := range pids {
		sum += must(strconv.Atoi(statField(pid, 14))) + must(strconv.Atoi(statField(pid, 15)))
	}
	return time.Duration(sum) * time.Second / ticks
}

// pss is the memory of the processes, pages shared with others counted in part.
func pss(pids ...int) int64 { return memoryOf(pids, "smaps_rollup", "Pss:") }

// peak is the most memory that the processes have had resident.
func peak(pids ...int) int64 { return memoryOf(pids, "status", "VmHWM:") }

// anonymous is the memory of a process that belongs to no file.
func anonymous(pid int) int64 { return memoryOf([]int{pid}, "smaps_rollup", "Anonymous:") }

// memoryOf is the sum of a number of KiB that files of /proc/PID have, in bytes.
func memoryOf(pids []int, file, name string) (sum int64) {
	for _, pid := range pids {
		text := string(must(os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))))
		_, rest, found := strings.Cut(text, "\n"+name)
		if !found {
			check(fmt.Errorf("no %s of process %d", name, pid))
		}
		sum += must(strconv.ParseInt(strings.Fields(rest)[0], 10, 64)) << 10
	}
	return sum
}

// children are the processes whose parent is pid.
func children(pid int) (found []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if child, err := strconv.Atoi(e.Name()); err == nil && statField(child, 4) == strconv.Itoa(pid) {
			found = append(found, child)
		}
	}
	return found
}

// pause sleeps for less than a millisecond, which the runtime's timers round up.
func pause(d time.Duration) {
	t := unix.NsecToTimespec(d.Nanoseconds())
	_ = unix.Nanosleep(&t, nil) // a signal makes it shorter
}

// memory is M3: what each idle job costs, and how much that grows by output.
func memory(l *lab) {
	jobs := l.count(30, 8)
	idle := newRow(fmt.Sprintf("M3 memory (PSS) for each of %d idle jobs", jobs), "%.0f KiB", "1 MiB")
	starters := l.starters(true)
	inTurns(1, starters, func(_ int, p *program) {
		for range jobs {
			p.waitStarted(p.launch("/bin/sleep", "600"))
		}
	})
	l.settle()
	for _, p := range starters {
		idle.add(p.name, supervision(p)/float64(jobs), "")
	}
	waiting := newRow("M3 the same for each job that waits in a queue", "%.0f KiB", "1 MiB")
	waiting.addNone("", "")
	q := l.queueOfHob()
	q.hold()
	for range jobs {
		check(q.launch("true").wait())
	}
	waiting.add(q.name, l.settledMemory(q.program)/float64(jobs), "")
	l.print(idle, waiting)
	l.release()
	mib := l.count(1024, 32)
	grown := newRow(fmt.Sprintf("M3 the same for one job, and after %d MiB of output", mib), "%+.0f KiB", "+1 MiB")
	inTurns(1, []*program{l.floor(true), l.hob()}, func(_ int, p *program) {
		before, after := l.grown(p, int64(mib)<<20)
		grown.add(p.name, after-before, fmt.Sprintf("(from %.0f KiB)", before))
	})
	l.print(grown)
}

// settledMemory is the memory of what supervises jobs, in KiB, once starting them
// has given back what it needed.
func (l *lab) settledMemory(p *program) float64 {
	l.settle()
	return supervision(p)
}

// settle waits until starting jobs has given back what it needed.
func (l *lab) settle() { l.rest(3 * time.Second) }

// supervision is the memory of what supervises jobs, in KiB.
func supervision(p *program) float64 { return float64(pss(p.keepers()...)) / 1024 }

// grown is the memory of what supervises a job before and after much output.
func (l *lab) grown(p *program, size int64) (before, after float64) {
	w := l.watchLogs(p)
	// The first line shows that the job runs; a file lets it continue.
	gate := l.fresh("gate")
	script := `echo 0; while ! [ -e "$1" ]; do sleep 0.1; done; exec "$2" "$3" 600s`
	p.launch("/bin/sh", "-c", script, "sh", gate, l.bin("lines"), strconv.FormatInt(size, 10))
	log := w.one(floodLimit)
	before = l.settledMemory(p)
	check(os.WriteFile(gate, nil, 0o600))
	if !l.waitSize(2*floodLimit, log, size+size/lineWidth) {
		check(errTooLate)
	}
	return before, l.settledMemory(p)
}
