package proc

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// SourceOf returns the source that descriptor fd of process pid reads from.
func (s *Scanner) SourceOf(pid, fd int) (Source, error) {
	p, ok := s.stat(pid)
	if !ok {
		return Source{}, ErrGone
	}
	return sourceOf(p, fd)
}

func sourceOf(p Process, fd int) (Source, error) {
	var st unix.Stat_t
	if err := unix.Stat("/proc/"+strconv.Itoa(p.PID)+"/fd/"+strconv.Itoa(fd), &st); err != nil {
		return Source{}, procError(err)
	}
	return sourceFrom(&st, p.TTY), nil
}

// sourceFrom returns the source that a file is. controlling is the controlling terminal of the
// process, which /dev/tty refers to.
func sourceFrom(st *unix.Stat_t, controlling uint64) Source {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO, unix.S_IFSOCK:
		return Source{Dev: uint64(st.Dev), Ino: st.Ino} //nolint:unconvert // it has another width on other systems
	case unix.S_IFCHR:
		major, minor := unix.Major(uint64(st.Rdev)), unix.Minor(uint64(st.Rdev)) //nolint:unconvert // it has another width on other systems
		switch {
		case major == 5 && minor == 0:
			return Source{TTY: controlling}
		case isTerminal(major):
			return Source{TTY: ttyNumber(major, minor)}
		}
	}
	return Source{}
}

// isTerminal reports whether the devices with this major number are terminals: those of the console,
// pseudoterminals, and serial and hypervisor consoles (the kernel's admin-guide/devices.txt).
func isTerminal(major uint32) bool {
	const ptsLast = 143
	switch major {
	case 4, 204, 229:
		return true
	}
	return ptsMajor <= major && major <= ptsLast
}

// ttyNumber encodes a device number as in /proc/PID/stat.
func ttyNumber(major, minor uint32) uint64 {
	return uint64(minor&0xff | major<<8 | (minor&^0xff)<<12)
}

// ptsMajor is the first major number of slaves of pseudo-terminals.
const ptsMajor = 136

// TTYSource returns the terminal that descriptor fd of this process refers to. For a master it
// returns the slave.
func TTYSource(fd int) (Source, error) {
	if n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN); err == nil {
		return Source{TTY: ttyNumber(ptsMajor, uint32(n))}, nil
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Source{}, err
	}
	self, err := Stat(os.Getpid())
	if err != nil {
		return Source{}, err
	}
	return sourceFrom(&st, self.TTY), nil
}

// WaitsForInput reports whether any of procs, a recent snapshot, waits for input from src. It
// returns the largest result of all of them. For a terminal, only its foreground process group
// counts.
//
// It reads /proc/PID/syscall, which is readable for root, for the same user, and, if Yama
// restricts that, for ancestors such as a holder. If it is not readable, the name of the kernel
// function that the process sleeps in shows a read of its standard input, but no polls. If that
// is not readable either, for example for a program of another user, the result for a terminal
// is InputUnseen.
func (s *Scanner) WaitsForInput(procs []Process, src Source) Input {
	if src == (Source{}) {
		return InputNone
	}
	most := InputNone
	for _, p := range procs {
		if !p.hasFiles() || p.Stopped() {
			continue
		}
		if inForeground := p.TTY == src.TTY && p.PGID == p.Foreground; src.TTY != 0 && !inForeground {
			continue
		}
		w := waiter{p: p, src: src, r: &s.reader}
		for _, thread := range threads(p, maxThreads) {
			most = max(most, w.thread(thread))
			if most == InputRead {
				return most
			}
		}
	}
	return most
}

// maxThreads limits the threads of a process that are inspected.
const maxThreads = 64

// waiter inspects one process.
type waiter struct {
	p   Process
	src Source
	r   *reader
}

// thread is the directory of a thread below /proc/PID.
func (w *waiter) thread(thread string) Input {
	line, err := w.r.read(w.p.PID, thread+"syscall")
	if err != nil {
		return w.sleeps(thread)
	}
	call, ok := parseCall(line)
	if !ok {
		return InputNone // running, or not in a system call
	}
	reads := false
	switch call.number {
	case unix.SYS_READ, unix.SYS_READV:
		reads = true
	case unix.SYS_RECVFROM, unix.SYS_RECVMSG:
		reads = w.src.TTY == 0
	}
	switch {
	case reads && w.is(int(int32(call.args[0]))):
		return InputRead
	case w.polls(call):
		return InputPolled
	}
	return InputNone
}

// sleeps is thread by the name of the kernel function alone.
func (w *waiter) sleeps(thread string) Input {
	name, err := w.r.read(w.p.PID, thread+"wchan")
	if err != nil {
		return InputNone
	}
	var reads bool
	switch string(bytes.TrimSpace(name)) {
	case "0", "": // running, or hidden
		if w.src.TTY != 0 && w.p.State == 'S' {
			return InputUnseen
		}
	case "n_tty_read", "wait_woken", "tty_read":
		reads = w.src.TTY != 0
	case "pipe_read", "anon_pipe_read", "fifo_pipe_read", "pipe_wait", "pipe_wait_readable", "unix_stream_data_wait", "unix_stream_read_generic":
		reads = w.src.TTY == 0
	}
	if reads && w.is(0) {
		return InputRead
	}
	return InputNone
}

func (w *waiter) is(fd int) bool {
	src, err := sourceOf(w.p, fd)
	return err == nil && src == w.src
}

// polls reports whether call waits for several descriptors, including the input.
func (w *waiter) polls(call call) bool {
	switch call.number {
	case sysPoll, unix.SYS_PPOLL:
		return w.inPoll(call.args[0], call.args[1])
	case sysSelect, unix.SYS_PSELECT6:
		return w.inSelect(call.args[1], call.args[0])
	case sysEpollWait, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2:
		return w.inEpoll(int(int32(call.args[0])))
	}
	return false
}

func (w *waiter) inPoll(at, count uint64) bool {
	const size = 8 // of struct pollfd, see poll(2)
	data := w.memory(at, min(count, 1024)*size)
	for ; uint64(len(data)) >= size; data = data[size:] {
		fd := int32(binary.NativeEndian.Uint32(data))
		events := binary.NativeEndian.Uint16(data[4:])
		if events&unix.POLLIN != 0 && w.is(int(fd)) { // a negative descriptor is ignored
			return true
		}
	}
	return false
}

func (w *waiter) inSelect(at, count uint64) bool {
	const word = strconv.IntSize / 8 // of a long; an fd_set is an array of longs, see select(2)
	count = min(count, 1024)
	words := (count + 8*word - 1) / (8 * word)
	data := w.memory(at, words*word)
	for fd := range int(count) {
		at := fd / (8 * word) * word
		if at+word > len(data) {
			return false
		}
		var bits uint64
		if word == 8 {
			bits = binary.NativeEndian.Uint64(data[at:])
		} else {
			bits = uint64(binary.NativeEndian.Uint32(data[at:]))
		}
		if bits>>(fd%(8*word))&1 != 0 && w.is(fd) {
			return true
		}
	}
	return false
}

func (w *waiter) inEpoll(fd int) bool {
	info, err := w.r.read(w.p.PID, filepath.Join("fdinfo", strconv.Itoa(fd)))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(info)) {
		// tfd:        0 events:       19 data: …
		words := strings.Fields(line)
		if len(words) < 4 || words[0] != "tfd:" {
			continue
		}
		target, err := strconv.Atoi(words[1])
		events, err2 := strconv.ParseUint(words[3], 16, 64)
		if err != nil || err2 != nil {
			continue
		}
		if events&unix.EPOLLIN != 0 && w.is(target) {
			return true
		}
	}
	return false
}

// memory reads memory of the process, as far as that is permitted.
func (w *waiter) memory(at, size uint64) []byte {
	if at == 0 || size == 0 {
		return nil
	}
	data := make([]byte, size)
	local := []unix.Iovec{{Base: &data[0]}}
	local[0].SetLen(len(data))
	n, err := unix.ProcessVMReadv(w.p.PID, local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(data)}}, 0)
	if err != nil {
		return nil
	}
	return data[:n]
}

// call is a system call that a thread is blocked in.
type call struct {
	number int64
	args   [6]uint64
}

// parseCall parses /proc/PID/syscall: the number, six arguments, the stack pointer and the
// program counter. It returns false if the thread is not in a system call.
func parseCall(line []byte) (call, bool) {
	words := strings.Fields(string(line))
	if len(words) != 9 {
		return call{}, false
	}
	var c call
	var err error
	if c.number, err = strconv.ParseInt(words[0], 10, 64); err != nil || c.number < 0 {
		return call{}, false
	}
	for i := range c.args {
		if c.args[i], err = strconv.ParseUint(words[i+1], 0, 64); err != nil {
			return call{}, false
		}
	}
	return c, true
}

// System calls that newer architectures do not have. On old architectures other than amd64
// they are not recognized.
var sysPoll, sysSelect, sysEpollWait = oldCalls()

func oldCalls() (poll, sel, epollWait int64) {
	if runtime.GOARCH == "amd64" {
		return 7, 23, 232
	}
	return -2, -3, -4
}
