package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

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
// parentheses, so it ends at the last one.
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

	rest := line[end+2:]
	var n int64
	field := 3 // numbered as in proc(5), from 1
	for ; len(rest) > 0 && field <= 24; field++ {
		var word []byte
		if i := bytes.IndexByte(rest, ' '); i >= 0 {
			word, rest = rest[:i], rest[i+1:]
		} else {
			word, rest = bytes.TrimRight(rest, "\n"), nil
		}
		if field == 3 {
			if len(word) != 1 || word[0] < 'A' {
				return Process{}, false
			}
			p.State = word[0]
			continue
		}
		if n, ok = number(word); !ok {
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
			p.Start = uint64(n)
		case 24:
			p.RSS = n * page
		}
	}
	return p, field > 24
}

// number parses a decimal number without allocating memory. Larger numbers than an int64 can
// represent, such as some limits and addresses, become the largest int64.
func number(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	const limit = int64(^uint64(0) >> 1)
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := int64(c - '0')
		if n > (limit-d)/10 {
			n = limit
			continue
		}
		n = n*10 + d
	}
	if negative {
		n = -n
	}
	return n, true
}

// procError replaces the errors for files of a process that has ended by ErrGone.
func procError(err error) error {
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ESRCH) {
		return ErrGone
	}
	return err
}
