package proc

import (
	"bytes"
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// Descendants returns the process pid and its descendants, parents before children, and at
// most limit of them (0 means all). It reads only these processes, so its cost does not
// depend on how many others the machine has. At the end it reads the children of pid again:
// if that is a subreaper, it adopts the children of processes that end meanwhile.
//
// The error is [ErrGone] if there is no such process. It is [ErrUnsupported], and the result
// has only the process itself, if the kernel was built without CONFIG_PROC_CHILDREN.
func (s *Scanner) Descendants(pid, limit int) ([]Process, error) {
	first, ok := s.stat(pid)
	if !ok {
		return nil, ErrGone
	}
	procs, seen := []Process{first}, map[int]bool{pid: true}
	if !s.listsChildren(pid) {
		return procs, ErrUnsupported
	}
	full := func() bool { return limit > 0 && len(procs) >= limit }
	next := 0
	for {
		for ; next < len(procs) && !full(); next++ {
			procs = s.addChildren(procs, procs[next], seen)
		}
		before := len(procs)
		if !full() {
			procs = s.addChildren(procs, first, seen)
		}
		if len(procs) == before {
			break
		}
	}
	if full() {
		procs = procs[:limit]
	}
	return procs, nil
}

// listsChildren reports whether the kernel lists the children of pid's first thread.
func (s *Scanner) listsChildren(pid int) bool {
	_, err := s.reader.read(pid, "task/"+strconv.Itoa(pid)+"/children")
	return err == nil
}

// addChildren appends the children of parent that are not in seen.
func (s *Scanner) addChildren(procs []Process, parent Process, seen map[int]bool) []Process {
	for _, pid := range s.children(parent) {
		if seen[pid] {
			continue
		}
		seen[pid] = true
		if p, ok := s.stat(pid); ok {
			procs = append(procs, p)
		}
	}
	return procs
}

func (s *Scanner) stat(pid int) (Process, bool) {
	line, err := s.reader.read(pid, "stat")
	if err != nil {
		return Process{}, false
	}
	return parseStat(line, pageSize())
}

// children returns the children of all threads of p.
func (s *Scanner) children(p Process) []int {
	if p.Threads <= 1 {
		return s.childrenOf(p.PID, p.PID, nil)
	}
	var pids []int
	for _, thread := range s.threads(p.PID) {
		pids = s.childrenOf(p.PID, thread, pids)
	}
	return pids
}

// childrenOf appends the children of one thread.
func (s *Scanner) childrenOf(pid, thread int, pids []int) []int {
	data, err := s.reader.read(pid, "task/"+strconv.Itoa(thread)+"/children")
	if err != nil {
		return pids
	}
	for word := range bytes.FieldsSeq(data) {
		if n, ok := number(word); ok && n > 0 {
			pids = append(pids, int(n))
		}
	}
	return pids
}

// threads returns the ids of the threads of pid.
func (s *Scanner) threads(pid int) []int {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var threads []int
	err = eachNumber(fd, make([]byte, 4<<10), func(thread int) { threads = append(threads, thread) })
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return nil
	}
	return threads
}
