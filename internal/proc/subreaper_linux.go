package proc

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// SetSubreaper makes the calling process adopt all descendants whose parent ends. It applies to
// the whole process and cannot be undone, so only a dedicated holder may do it. Children do not
// inherit it.
func SetSubreaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// ReapOrphans reaps all children that have ended, except those of Start, without waiting for
// others. Call it on SIGCHLD.
//
// Children are reaped one by one, by pid: a wait for any child could reap one that os/exec waits
// for.
func (r *Reaper) ReapOrphans() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		pid := endedChild()
		if pid == 0 {
			return
		}
		if r.owned[pid] || !reap(pid) {
			break
		}
	}
	// The kernel reports only the first child that has ended. If another goroutine waits
	// for that one, there may be more after it.
	procs, err := r.scan.Scan()
	r.scan.Close()
	if err != nil {
		return
	}
	self := unix.Getpid()
	for _, p := range procs {
		if p.PPID == self && p.Dead() && !r.owned[p.PID] {
			reap(p.PID)
		}
	}
}

// endedChild returns the pid of a child that has ended, 0 if there is none. It does not reap the
// child.
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
	// si_pid is the first member of the union after the three integers. The union is
	// aligned like a pointer.
	at := (unsafe.Offsetof(info.Code) + 4 + unsafe.Alignof(uintptr(0)) - 1) &^ (unsafe.Alignof(uintptr(0)) - 1)
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(&info), at)))
}

// reap reaps a child that has ended and reports whether it did.
func reap(pid int) bool {
	for {
		got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
		if err != unix.EINTR {
			return err == nil && got == pid
		}
	}
}
