package proc

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// LockHolder returns the oldest process that has the file at path locked; ok is false if none of those
// that this user may examine has. The system's list of locks does not name the holder of a lock of an open file
// description, so the descriptors of all processes are examined.
func LockHolder(path string) (p Process, ok bool) {
	want, err := os.Stat(path)
	if err != nil {
		return p, false
	}
	var s Scanner
	procs, err := s.Scan()
	if err != nil {
		return p, false
	}
	for _, p := range oldestFirst(procs) {
		if p.hasFiles() && hasLocked(p.PID, want) {
			return p, true
		}
	}
	return Process{}, false
}

// oldestFirst sorts processes by their start. A program that has a file locked runs others, which inherit the lock
// and live for moments only: they would be named in turn wherever their numbers are lower than its own.
func oldestFirst(procs []Process) []Process {
	slices.SortStableFunc(procs, func(a, b Process) int { return cmp.Compare(a.Start, b.Start) })
	return procs
}

// hasLocked reports whether a process has a lock on the file.
func hasLocked(pid int, file os.FileInfo) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	entries, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false
	}
	for _, e := range entries {
		open, err := os.Stat(filepath.Join(dir, "fd", e.Name()))
		if err != nil || !os.SameFile(open, file) {
			continue
		}
		info, err := os.ReadFile(filepath.Join(dir, "fdinfo", e.Name()))
		if err == nil && bytes.Contains(info, []byte("\nlock:")) {
			return true
		}
	}
	return false
}
