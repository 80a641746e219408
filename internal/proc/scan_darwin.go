package proc

import (
	"bytes"
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// startOrders is false because births are told by a clock that can be set back.
const startOrders = false

// Stat describes the process that has pid now.
func Stat(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, ErrGone
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		// The kernel answers with nothing for a pid that nobody has.
		if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) {
			return Process{}, ErrGone
		}
		return Process{}, err
	}
	if int(k.Proc.P_pid) != pid {
		return Process{}, ErrGone
	}
	return fromKinfo(k), nil
}

// fromKinfo translates the kernel's record. Threads, memory and processor time
// are not in it.
func fromKinfo(k *unix.KinfoProc) Process {
	states := [...]byte{1: 'R', 2: 'R', 3: 'S', 4: 'T', 5: 'Z'}
	p := Process{
		PID:        int(k.Proc.P_pid),
		PPID:       int(k.Eproc.Ppid),
		PGID:       int(k.Eproc.Pgid),
		Foreground: int(k.Eproc.Tpgid),
		Threads:    1,
		Start:      uint64(k.Proc.P_starttime.Sec)*1_000_000 + uint64(k.Proc.P_starttime.Usec),
		kernel:     k.Proc.P_pid == 0,
	}
	if k.Eproc.Tdev != -1 {
		p.TTY = uint64(uint32(k.Eproc.Tdev))
	}
	if s := k.Proc.P_stat; s > 0 && int(s) < len(states) {
		p.State = states[s]
	}
	name := k.Proc.P_comm[:]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	p.Comm = string(name)
	if sid, err := unix.Getsid(p.PID); err == nil {
		p.Session = sid
	}
	return p
}

// Scanner takes snapshots. The zero value is ready. It is for one goroutine.
type Scanner struct{ reader reader }

// Scan is Snapshot.
func (s *Scanner) Scan() ([]Process, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	procs := make([]Process, 0, len(all))
	for i := range all {
		procs = append(procs, fromKinfo(&all[i]))
	}
	return procs, nil
}

// Close lets go of what the scanner holds.
func (s *Scanner) Close() {}

// reader reads command lines and environments of this user's processes.
type reader struct{}

func (r *reader) args(pid int) (arguments, bool) {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return arguments{}, false
	}
	return parseArguments(data)
}

func (r *reader) hasJobID(pid int, id string) bool {
	a, ok := r.args(pid)
	return ok && hasVariable(a.env, JobVariable, id)
}

func (r *reader) isHolder(pid int) bool {
	a, ok := r.args(pid)
	return ok && len(a.argv) > 0 && filepath.Base(a.argv[0]) == HolderName
}

// Cmdline is the command line of pid.
func Cmdline(pid int) ([]string, error) {
	var r reader
	a, ok := r.args(pid)
	if !ok {
		return nil, ErrGone
	}
	return a.argv, nil
}
