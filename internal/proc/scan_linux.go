package proc

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Scanner takes snapshots of processes and reuses its buffers. The zero value is ready to use. A
// Scanner must not be used concurrently.
type Scanner struct {
	reader reader
	last   int // number of processes in the last snapshot
	seen   seen
}

// Scan returns a snapshot of all processes.
func (s *Scanner) Scan() ([]Process, error) {
	pids, err := s.pids()
	if err != nil {
		return nil, err
	}
	procs := make([]Process, 0, len(pids))
	for _, pid := range pids {
		if p, ok := s.stat(pid); ok { // else it ended during the scan
			procs = append(procs, p)
		}
	}
	return procs, nil
}

// pids returns the IDs of all processes.
func (s *Scanner) pids() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	pids := make([]int, 0, s.last+16)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	s.last = len(pids)
	return pids, nil
}

// reader reads small files in /proc into a reused buffer. A result is valid until the next call.
type reader struct{ buf []byte }

// maxEntrySize limits how much of a file is read. With the usual stack limit, command line and
// environment have at most 2 MiB.
const maxEntrySize = 4 << 20

func (r *reader) read(pid int, entry string) ([]byte, error) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/"+entry, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, procError(err)
	}
	defer unix.Close(fd)
	if r.buf == nil {
		r.buf = make([]byte, 1024) // enough for the only line of stat
	}
	var n int
	for {
		m, err := unix.Read(fd, r.buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, procError(err)
		}
		n += m
		// A short read may be the end of a page, so only an empty read is the end of
		// the file. stat is always read completely by the first call.
		switch {
		case m == 0, n >= maxEntrySize:
			return r.buf[:n], nil
		case n == len(r.buf):
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
		case entry == "stat":
			return r.buf[:n], nil
		}
	}
}

// hasJobID reports whether the initial environment of pid has the job id. It is false if the
// environment may not be read.
func (r *reader) hasJobID(pid int, id string) bool {
	// During exec, a process briefly has neither an environment nor a command line.
	const tries, pause = 5, 200 * time.Microsecond
	for range tries {
		env, err := r.read(pid, "environ")
		if err != nil {
			return false
		}
		if len(env) > 0 {
			return hasVariable(env, JobVariable, id)
		}
		if args, err := r.read(pid, "cmdline"); err != nil || len(args) > 0 {
			return false
		}
		time.Sleep(pause)
	}
	return false
}

// isHolder reports whether pid is a holder, according to its argv[0].
func (r *reader) isHolder(pid int) bool {
	args, err := r.read(pid, "cmdline")
	if err != nil {
		return false
	}
	program, _, _ := bytes.Cut(args, []byte{0})
	return filepath.Base(string(program)) == HolderName
}

// Cmdline returns the command line of pid. It is empty for a zombie or a kernel thread.
func Cmdline(pid int) ([]string, error) {
	var r reader
	data, err := r.read(pid, "cmdline")
	if err != nil || len(data) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00"), nil
}

// tick is the unit of times in /proc. USER_HZ is 100 on all architectures that Go supports.
const tick = time.Second / 100

// kernelThread is the process flag PF_KTHREAD.
const kernelThread = 0x00200000

// Stat returns the state of the process that has pid now.
func Stat(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, ErrGone
	}
	var r reader
	data, err := r.read(pid, "stat")
	if err != nil {
		return Process{}, err
	}
	p, ok := parseStat(data, pageSize())
	if !ok {
		return Process{}, errors.New("unreadable /proc/" + strconv.Itoa(pid) + "/stat")
	}
	return p, nil
}

func pageSize() int64 { return int64(os.Getpagesize()) }

// parseStat parses /proc/PID/stat. The name is in parentheses and may itself contain spaces and
// parentheses, so it ends at the last one. The kernel adds the offset of the reader's time namespace
// to the start time, which must be the same for all readers.
func parseStat(line []byte, page int64) (Process, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 2 || end < open || end+2 >= len(line) {
		return Process{}, false
	}
	var p Process
	pid, ok := number(bytes.TrimRight(line[:open], " "))
	if !ok || pid <= 0 {
		return Process{}, false
	}
	p.PID, p.Comm = int(pid), string(line[open+1:end])

	field := 2 // numbered as in proc(5), from 1
	for word := range bytes.FieldsSeq(line[end+1:]) {
		if field++; field == 3 {
			if len(word) != 1 || word[0] < 'A' {
				return Process{}, false
			}
			p.State = word[0]
			continue
		}
		n, ok := number(word)
		if !ok {
			return Process{}, false
		}
		switch field {
		case 4:
			p.PPID = int(n)
		case 5:
			p.PGID = int(n)
		case 6:
			p.Session = int(n)
		case 7:
			p.TTY = uint64(uint32(n))
		case 8:
			p.Foreground = int(n)
		case 9:
			p.kernel = n&kernelThread != 0
		case 14:
			p.User = time.Duration(n) * tick
		case 15:
			p.System = time.Duration(n) * tick
		case 20:
			p.Threads = int(n)
		case 22:
			p.Start = uint64(n) - uint64(namespaceOffsets().sinceBoot/tick)
		case 24:
			p.RSS = n * page
			return p, true
		}
	}
	return Process{}, false
}

// number parses a decimal number.
func number(b []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil
}

// procError replaces the errors for files of a process that has ended by ErrGone.
func procError(err error) error {
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ESRCH) {
		return ErrGone
	}
	return err
}

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
	if limit == 0 {
		limit = math.MaxInt
	}
	full := func() bool { return len(procs) >= limit }
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
	var pids []int
	for _, thread := range threads(p, -1) {
		data, err := s.reader.read(p.PID, thread+"children")
		if err != nil {
			continue
		}
		for word := range bytes.FieldsSeq(data) {
			if n, ok := number(word); ok && n > 0 {
				pids = append(pids, int(n))
			}
		}
	}
	return pids
}

// threads returns the directories below /proc/PID of at most limit threads of p, or of all if limit
// is negative.
func threads(p Process, limit int) []string {
	if p.Threads <= 1 {
		return []string{"task/" + strconv.Itoa(p.PID) + "/"}
	}
	dir, err := os.Open("/proc/" + strconv.Itoa(p.PID) + "/task")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(limit)
	for i, name := range names {
		names[i] = "task/" + name + "/"
	}
	return names
}
