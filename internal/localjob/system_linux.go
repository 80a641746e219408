package localjob

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

const waitContinued = syscall.WCONTINUED

// haveChildren reports whether this process has any child, ended or not.
func haveChildren() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err != unix.ECHILD
		}
	}
}

// waitEnd waits until the child pid has ended, without reaping it. It returns false if ctx ends
// first.
func waitEnd(ctx context.Context, pid int) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return pollEnd(ctx, pid)
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil || f.SetReadDeadline(time.Time{}) != nil {
		return pollEnd(ctx, pid)
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	return raw.Read(func(uintptr) bool { return hasEnded(pid) }) == nil
}

// maxRSS is in bytes. It is at least what the process that forked the child had used.
func maxRSS(u syscall.Rusage) int64 { return int64(u.Maxrss) << 10 } //nolint:unconvert // it has another width on other systems

// growth waits until one of several files is written to. Each kernel watch is for a single event,
// so that a job that writes a million times causes one event between two calls.
type growth struct {
	f     *os.File // an inotify descriptor
	paths []string
}

func newGrowth(files []*os.File) (*growth, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	g := &growth{f: os.NewFile(uintptr(fd), "inotify")}
	for _, f := range files {
		// By descriptor: the directory may be renamed while the job runs.
		g.paths = append(g.paths, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())))
	}
	return g, nil
}

// arm makes the next write end wait. Earlier writes are not reported, so the caller checks once
// more after it.
func (g *growth) arm() bool {
	if g == nil {
		return false
	}
	err := plainfile.WithDescriptor(g.f, func(fd int) error {
		for _, p := range g.paths {
			if _, err := unix.InotifyAddWatch(fd, p, unix.IN_MODIFY|unix.IN_ONESHOT); err != nil {
				return err
			}
		}
		return nil
	})
	return err == nil
}

// wait returns true when a file was written to, false when ctx has ended.
func (g *growth) wait(ctx context.Context) bool {
	stop := context.AfterFunc(ctx, func() { _ = g.f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var events [512]byte
	_, err := g.f.Read(events[:])
	return err == nil && ctx.Err() == nil
}

func (g *growth) close() {
	if g != nil {
		g.f.Close()
	}
}

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// readNow calls read(2) on a non-blocking descriptor without notifying Go's scheduler. Reading a
// terminal takes some ten microseconds, in which the scheduler would see its only P in a system
// call and hand it to another thread, at each read of a flood: that costs as much as all other work
// here.
func readNow(fd int, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// ForkUnblocked starts a program with no signal blocked, whatever mask this process inherited: a
// child inherits the mask of the thread that forks.
func ForkUnblocked(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var none, old unix.Sigset_t
	if unix.PthreadSigmask(unix.SIG_SETMASK, &none, &old) == nil && old != none {
		defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }()
	}
	return syscall.ForkExec(path, argv, attr)
}

// forkHeld is like [ForkUnblocked] for a program that must not run before ready returns: it is
// traced and held at its first instruction. If it cannot be traced, or would lose setuid rights by
// it, ready is called while it may already be running.
func forkHeld(path string, argv []string, attr *syscall.ProcAttr, ready func(pid int)) (int, error) {
	if givesRights(path) {
		return forkThen(path, argv, attr, ready)
	}
	runtime.LockOSThread() // tracing is bound to a thread
	defer runtime.UnlockOSThread()
	traced := *attr
	sys := *attr.Sys
	sys.Ptrace = true
	traced.Sys = &sys
	pid, err := ForkUnblocked(path, argv, &traced)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		return forkThen(path, argv, attr, ready)
	}
	if err != nil {
		return 0, err
	}
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, syscall.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	ready(pid)
	_ = syscall.PtraceDetach(pid)
	return pid, nil
}

// givesRights reports whether executing the file raises the user's privileges.
func givesRights(path string) bool {
	if os.Geteuid() == 0 {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return true
	}
	n, err := unix.Getxattr(path, "security.capability", nil)
	return err == nil && n > 0
}

// closeLeaked closes the descriptors from first on that the launcher has left open. Those of Go are
// close-on-exec and stay.
func closeLeaked(first int) {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		_ = unix.CloseRange(uint(first), ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
		return
	}
	for _, entry := range open {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd < first {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// redirect makes descriptor to refer to the same file as from.
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// nameProcess sets the process's short name to that of a holder; the default is that of the link it
// was executed by.
func nameProcess() {
	_ = os.WriteFile("/proc/self/comm", []byte(proc.HolderName), 0)
}

// flushInput drops what was typed into the terminal fd and not read.
func flushInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

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
	m = mapping{start: uintptr(start), end: uintptr(end)}
	switch string(fields[1]) {
	case "r-xp", "r--p":
		m.ofFile = string(fields[4]) != "0"
	}
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
		case err == unix.EPIPE, err == unix.EINTR: // EPIPE: older records were overwritten meanwhile
			continue
		case err != nil, n <= 0:
			return false
		case bytes.Contains(record[:n], named):
			return true
		}
	}
}
