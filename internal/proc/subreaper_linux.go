package proc

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// SetSubreaper makes the calling process the parent of every descendant whose
// own parent dies. It holds for the whole process and for good, so only a
// dedicated holder may do it. Children do not inherit it.
func SetSubreaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// ReapStrays collects every child that has ended, except those that something
// else waits for, and returns what they left. It never blocks.
//
// Children are collected one by one by pid: waiting for any child would steal
// the exits that os/exec waits for.
func (r *Reaper) ReapStrays(except ...int) []Reaped {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Reaped
	for {
		pid := endedChild()
		if pid == 0 {
			return out
		}
		if r.owned[pid] || slices.Contains(except, pid) {
			break
		}
		got, ok := collect(pid)
		if !ok {
			break
		}
		out = append(out, got)
	}
	// The kernel shows only the first child that has ended; behind one that
	// is somebody else's there may be more.
	procs, err := r.scan.Scan()
	r.scan.Close()
	if err != nil {
		return out
	}
	self := unix.Getpid()
	for _, p := range procs {
		if p.PPID != self || !p.Dead() || r.owned[p.PID] || slices.Contains(except, p.PID) {
			continue
		}
		if got, ok := collect(p.PID); ok {
			out = append(out, got)
		}
	}
	return out
}

// endedChild is the pid of a child that waits to be collected, 0 if there is
// none. It leaves the child as it is.
func endedChild() int {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0
		}
		break
	}
	// si_pid is the first member of the union behind the three integers, which
	// is aligned as a pointer is.
	at := (unsafe.Offsetof(info.Code) + 4 + unsafe.Alignof(uintptr(0)) - 1) &^ (unsafe.Alignof(uintptr(0)) - 1)
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), at)))
}

func collect(pid int) (Reaped, bool) {
	var status unix.WaitStatus
	for {
		got, err := unix.Wait4(pid, &status, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || got != pid {
			return Reaped{}, false
		}
		end := Reaped{PID: pid, Code: status.ExitStatus()}
		if status.Signaled() {
			end.Signal = status.Signal()
			end.Code = 128 + int(end.Signal)
		}
		return end, true
	}
}
