package local

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// letGoOfPages gives back the pages of this program's file that lie in memory for
// it: what is needed again is read anew, from the system's cache. Only mappings
// that cannot be written to and of which nothing was ever changed are touched, so
// nothing is lost.
func letGoOfPages() {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	var m mapping
	lines := bufio.NewReaderSize(f, 4096) // this must not itself need much
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		if next, ok := parseMapping(line); ok {
			m = next
		} else if rest, ok := bytes.CutPrefix(line, []byte("Anonymous:")); ok && m.ofFile && string(bytes.TrimSpace(rest)) == "0 kB" {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
			m = mapping{}
		}
	}
}

// mapping is a line of /proc/PID/maps as far as it matters here.
type mapping struct {
	start, end uintptr
	ofFile     bool // private, of a file, and not writable
}

// parseMapping reads such a line; others, which begin with a name, are not ok.
func parseMapping(line []byte) (m mapping, ok bool) {
	if len(line) == 0 || line[0] >= 'A' && line[0] <= 'Z' {
		return m, false // of the others there are many
	}
	fields := bytes.Fields(line)
	if len(fields) < 5 {
		return m, false
	}
	from, to, ok := bytes.Cut(fields[0], []byte("-"))
	if !ok {
		return m, false
	}
	start, err1 := strconv.ParseUint(string(from), 16, 64)
	end, err2 := strconv.ParseUint(string(to), 16, 64)
	perms := string(fields[1])
	m = mapping{start: uintptr(start), end: uintptr(end)}
	m.ofFile = (perms == "r-xp" || perms == "r--p") && string(fields[4]) != "0"
	return m, err1 == nil && err2 == nil && end > start
}

const (
	// oomAhead is by how much more than its holder a job counts when the kernel
	// looks for somebody to end because memory has run out: five hundredths of the
	// memory there is, so that a small job is taken rather than a holder that is a
	// little larger. Its end is recorded then, and nothing else is hung up.
	oomAhead = 50
	oomMost  = 1000
)

// countForMore has the leader, and what it starts from now on, ended before its holder
// when there is no memory. Nobody has to be root to raise the value.
func (j *job) countForMore() {
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		return
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(own)))
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.reaped {
		return
	}
	// A program that gives other rights does not let itself be touched.
	_ = os.WriteFile("/proc/"+strconv.Itoa(j.pid)+"/oom_score_adj", strconv.AppendInt(nil, int64(min(n+oomAhead, oomMost)), 10), 0)
}
