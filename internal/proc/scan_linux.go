package proc

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Scanner takes snapshots of processes and reuses its buffers. The zero value is ready to use. A
// Scanner must not be used concurrently.
type Scanner struct {
	reader reader
	dir    int // descriptor of /proc plus one; 0 if closed
	names  []byte
	last   int // number of processes in the last snapshot
}

// Scan returns a snapshot of all processes.
func (s *Scanner) Scan() ([]Process, error) {
	if s.dir == 0 {
		fd, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		s.dir = fd + 1
		s.names = make([]byte, 32<<10)
	} else if _, err := unix.Seek(s.dir-1, 0, unix.SEEK_SET); err != nil {
		return nil, err
	}
	procs := make([]Process, 0, s.last+16)
	page := pageSize()
	err := eachNumber(s.dir-1, s.names, func(pid int) {
		line, err := s.reader.readAt(s.dir-1, strconv.Itoa(pid)+"/stat")
		if err != nil {
			return // the process ended during the scan
		}
		if p, ok := parseStat(line, page); ok {
			procs = append(procs, p)
		}
	})
	if err != nil {
		return nil, err
	}
	s.last = len(procs)
	return procs, nil
}

// Close closes /proc. The next Scan opens it again.
func (s *Scanner) Close() {
	if s.dir != 0 {
		unix.Close(s.dir - 1)
		s.dir = 0
	}
}

// eachNumber calls f for each entry of an open directory whose name is a number, like those of
// processes and threads. buf is the buffer for entries.
func eachNumber(dir int, buf []byte, f func(int)) error {
	for {
		n, err := unix.ReadDirent(dir, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		for entries := buf[:n]; len(entries) > 0; {
			var pid int
			if pid, entries = nextPID(entries); pid != 0 {
				f(pid)
			}
		}
	}
}

// nextPID removes the first entry from the result of getdents64. pid is 0 if its name is not a
// number.
func nextPID(entries []byte) (pid int, rest []byte) {
	const lengthAt, nameAt = 16, 19 // of struct linux_dirent64, see getdents64(2)
	if len(entries) < nameAt {
		return 0, nil
	}
	size := int(binary.NativeEndian.Uint16(entries[lengthAt:]))
	if size <= nameAt || size > len(entries) {
		return 0, nil
	}
	name, rest := entries[nameAt:size], entries[size:]
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	if n, ok := number(name); ok {
		pid = int(n)
	}
	return pid, rest
}

// reader reads small files in /proc into a reused buffer. A result is valid until the next call.
type reader struct{ buf []byte }

// maxEntrySize limits how much of a file is read. With the usual stack limit, command line and
// environment have at most 2 MiB.
const maxEntrySize = 4 << 20

func (r *reader) read(pid int, entry string) ([]byte, error) {
	return r.readAt(unix.AT_FDCWD, "/proc/"+strconv.Itoa(pid)+"/"+entry)
}

func (r *reader) readAt(dir int, path string) ([]byte, error) {
	fd, err := unix.Openat(dir, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
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
		if m == 0 || n >= maxEntrySize || (m < len(r.buf)-(n-m) && strings.HasSuffix(path, "stat")) {
			return r.buf[:n], nil
		}
		if n == len(r.buf) {
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
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
	if i := bytes.IndexByte(args, 0); i >= 0 {
		args = args[:i]
	}
	return filepath.Base(string(args)) == HolderName
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
