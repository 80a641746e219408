//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ticks a second in /proc/PID/stat, the same on every Linux.
const ticks = 100

// process is a process that was seen once: the number and when it began.
type process struct {
	pid   int
	start string
}

func lookUp(pid int) process { return process{pid, statField(pid, 22)} }

// gone reports whether it has ended, reaped or not.
func (p process) gone() bool {
	state := statField(p.pid, 3)
	return state == "" || state == "Z" || state == "X" || statField(p.pid, 22) != p.start
}

// kill ends it if it is still the same.
func (p process) kill() error {
	if p.gone() {
		return nil
	}
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func alive(pid int) bool {
	state := statField(pid, 3)
	return state != "" && state != "Z" && state != "X"
}

// statField is a field of /proc/PID/stat, counted from 1 as in proc(5); empty
// when there is no such process.
func statField(pid, n int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
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
func cpuTime(pids []int) (time.Duration, error) {
	var sum int64
	for _, pid := range pids {
		for _, field := range []int{14, 15} {
			n, err := strconv.ParseInt(statField(pid, field), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("processor time of %d: %w", pid, err)
			}
			sum += n
		}
	}
	return time.Duration(sum) * time.Second / ticks, nil
}

// pss is the memory of the processes, pages shared with others counted in part.
func pss(pids []int) (int64, error) { return memoryOf(pids, "smaps_rollup", "Pss:") }

// peak is the most memory that the processes have had resident.
func peak(pids []int) (int64, error) { return memoryOf(pids, "status", "VmHWM:") }

func memoryOf(pids []int, file, name string) (int64, error) {
	var sum int64
	for _, pid := range pids {
		b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), file))
		if err != nil {
			return 0, err
		}
		found := false
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, name); ok {
				kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				if err != nil {
					return 0, err
				}
				sum += kib << 10
				found = true
				break
			}
		}
		if !found {
			return 0, fmt.Errorf("no %s of process %d", name, pid)
		}
	}
	return sum, nil
}

// children are the processes whose parent is one of pids.
func children(pids []int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		parent, err := strconv.Atoi(statField(pid, 4))
		if err != nil {
			continue
		}
		for _, p := range pids {
			if p == parent {
				found = append(found, pid)
			}
		}
	}
	return found
}

// pause sleeps for less than a millisecond, which the runtime's timers round up.
func pause(d time.Duration) {
	t := unix.NsecToTimespec(d.Nanoseconds())
	_ = unix.Nanosleep(&t, nil) // a signal makes it shorter
}
