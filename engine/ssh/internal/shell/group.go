package shell

import "sync"

// Group is goroutines of one owner, who waits for them when it closes. The zero
// value is ready, and safe for concurrent use.
type Group struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// Go runs f in a goroutine. It reports false, and runs nothing, once the group is
// closed: who waited for the last would miss it.
func (g *Group) Go(f func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.wg.Go(f)
	}
	return !g.closed
}

// Close lets no goroutine begin any more and waits for those there are.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
}
