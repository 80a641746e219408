package local

import "golang.org/x/sys/unix"

// isolate keeps descriptors from first on, which whoever started the holder may
// have left open, from the job. Go opens its own like that anyway.
func isolate(first int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return
	}
	for fd := first; fd < int(min(limit.Cur, 4096)); fd++ {
		unix.CloseOnExec(fd)
	}
}

// closeLeaked is isolate for one descriptor.
func closeLeaked(fd int) { unix.CloseOnExec(fd) }

// redirect makes descriptor to mean what from means.
func redirect(from, to int) error { return unix.Dup2(from, to) }

// nameProcess has nothing to do: the system names processes by their file.
func nameProcess() {}
