package proc

import "sync"

// Reaper reaps the orphans that a subreaper has adopted. The zero value is ready to use. It is safe
// for concurrent use.
type Reaper struct {
	mu    sync.Mutex
	owned map[int]bool
	scan  Scanner
}

// Start calls start, which starts a child and returns its pid, and excludes that child from
// reaping until Forget, because the caller waits for it. ReapOrphans blocks meanwhile, so that it
// cannot reap a child that ends at once.
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

// Forget must be called after the caller has waited for a child of Start.
func (r *Reaper) Forget(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.owned, pid)
}
