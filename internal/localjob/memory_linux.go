package localjob

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// releasePages releases the resident pages of this program's file; pages that are needed again are
// read from the page cache. All mappings are found first: the code that finds them would make pages
// resident again.
func releasePages() {
	for _, m := range unmodified() {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// unmodified returns the mappings of files that are not writable and were never modified, so that no
// data is lost if their pages are released.
func unmodified() (list []mapping) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer f.Close()
	var m mapping
	lines := bufio.NewReaderSize(f, 1024) // a small buffer, to use little memory here
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) { // the rest of a line with a long path is skipped
			return list
		}
		if next, ok := parseMapping(line); ok {
			m = next
		} else if rest, ok := bytes.CutPrefix(line, []byte("Anonymous:")); ok && m.ofFile && string(bytes.TrimSpace(rest)) == "0 kB" {
			list = append(list, m)
			m = mapping{}
		}
	}
}

// ownPeak returns the largest amount of memory that this process has used, in bytes; 0 if it is not
// known. Without /proc it includes what the process that forked this one had used.
func ownPeak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return peakOfUsage()
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	value, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
	if err != nil {
		return peakOfUsage()
	}
	return kib << 10
}

// mapping is a line of /proc/PID/maps, as far as needed here.
type mapping struct {
	start, end uintptr
	ofFile     bool // private, of a file, and not writable
}

// parseMapping parses such a line; ok is false for the other lines, which begin with a name.
func parseMapping(line []byte) (m mapping, ok bool) {
	if len(line) == 0 || line[0] >= 'A' && line[0] <= 'Z' {
		return m, false // most lines
	}
	// Not split into a slice, which would be allocated for each of the many mappings.
	var fields [5][]byte // addresses, permissions, offset, device, inode
	for i := range fields {
		if fields[i], line, ok = bytes.Cut(line, []byte(" ")); !ok {
			return m, false
		}
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
	// oomAhead is added to a job's oom_score_adj so that the kernel ends the job before its holder
	// when memory runs out. It corresponds to five hundredths of the memory, so that even a small
	// job is chosen rather than a somewhat larger holder. Then the end is recorded, and nothing
	// else is hung up.
	oomAhead = 50
	oomMost  = 1000
)

// raiseOOMScore makes the kernel end the leader, and the processes it starts from now on, before
// the holder when memory runs out. Raising the value needs no privileges.
func (j *job) raiseOOMScore() {
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
	// The write fails for a setuid program.
	_ = os.WriteFile("/proc/"+strconv.Itoa(j.pid)+"/oom_score_adj", strconv.AppendInt(nil, int64(min(n+oomAhead, oomMost)), 10), 0)
}
