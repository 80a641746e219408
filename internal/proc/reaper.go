package proc

import (
	"sync"
	"syscall"
)

// Reaper collects the strays that a subreaper has adopted, call by call,
// usually on SIGCHLD. The zero value is ready and safe for concurrent use.
type Reaper struct {
	mu    sync.Mutex
	owned map[int]bool
	scan  Scanner
}

// Reaped is how a stray ended. Code is 128 plus the signal, if one ended it.
type Reaped struct {
	PID    int
	Code   int
	Signal syscall.Signal
}

// Start runs start, which begins a child and returns its pid, and leaves that
// child to its own waiter until Forget. No ReapStrays runs meanwhile, so even
// a child that ends at once is not taken from its waiter.
func (r *Reaper) Start(start func() (pid int, err error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	pid, err := start()
	if err != nil {
		return err
	}
	if r.owned == nil {
		r.owned = map[int]bool{}
	}
	r.owned[pid] = true
	return nil
}

// Forget is called when the child's own waiter has collected it.
func (r *Reaper) Forget(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.owned, pid)
}
