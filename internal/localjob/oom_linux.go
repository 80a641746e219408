package localjob

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// oomCount is the number of processes that the kernel killed in a control group because memory ran
// out.
type oomCount struct {
	file string // where the kernel counts; empty: unknown
	was  int    // the number at the start of the job
}

// watchOOM notes the count at the start of the job.
func (j *job) watchOOM() {
	c := oomCount{file: oomFile(j.leader())}
	c.was = c.read()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.oom = c
}

// oomKills returns how many processes of the job's control group the kernel killed for memory while
// the job ran, and at least 1 if the kernel log names the leader. The log is read only if killed is
// set, the leader having ended by SIGKILL: a leader may have moved to another group.
func (j *job) oomKills(killed bool) int {
	j.mu.Lock()
	c := j.oom
	j.mu.Unlock()
	n := max(0, c.read()-c.was)
	if n == 0 && killed && kernelLogNames(j.pid) {
		n = 1
	}
	return n
}

func (c oomCount) read() int {
	text, err := os.ReadFile(c.file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if number, ok := strings.CutPrefix(line, "oom_kill "); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(number))
			return n
		}
	}
	return 0
}

// oomFile returns the file in which the kernel counts the processes it kills in the memory control
// group of pid (cgroups(7), memory.events of version 2, memory.oom_control of version 1), or "".
func oomFile(pid int) string {
	groups, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return ""
	}
	unified := ""
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		switch {
		case fields[1] == "memory":
			return path.Join("/sys/fs/cgroup/memory", fields[2], "memory.oom_control")
		case fields[0] == "0":
			unified = path.Join("/sys/fs/cgroup", fields[2], "memory.events")
		}
	}
	return unified
}

// kernelLogNames reports whether the kernel log, as far as it can be read, reports that the kernel
// killed the process pid because memory ran out.
func kernelLogNames(pid int) bool {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false // only for privileged users on many systems
	}
	defer unix.Close(fd)
	named := []byte("Killed process " + strconv.Itoa(pid) + " ")
	record := make([]byte, 8<<10) // the size of the longest record, see the kernel's dev-kmsg
	for {
		n, err := unix.Read(fd, record)
		switch {
		case err == unix.EPIPE || err == unix.EINTR: // EPIPE: older records were overwritten meanwhile
			continue
		case err != nil || n <= 0:
			return false
		case bytes.Contains(record[:n], named):
			return true
		}
	}
}
