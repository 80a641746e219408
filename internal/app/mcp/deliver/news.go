package deliver

import (
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// news has the notices that have not been sent to the agent yet, and what a session knows of its jobs.
type news struct {
	mu      sync.Mutex
	notices []notice
	jobs    map[engine.ID]*jobNews
}

// jobNews is what a session knows of one job.
type jobNews struct {
	answering int       // calls in flight whose answer reports the end
	watch     *watch    // while it runs in the background
	fetched   time.Time // when the client last got its task; the client will request the end too
	output    output    // while it waits for input
	shellEnd  bool      // see findShellEnds
}

// of returns what is known of a job; mu is held.
func (n *news) of(id engine.ID) *jobNews {
	if n.jobs[id] == nil {
		n.jobs[id] = &jobNews{}
	}
	return n.jobs[id]
}

// watch is a job whose end is to be reported.
type watch struct {
	cancel func()
	known  bool // an answer has reported the end already
}

// add queues notices and drops the oldest beyond maxNotices; mu is held.
func (n *news) add(added ...notice) {
	n.notices = append(n.notices, added...)
	n.notices = n.notices[max(0, len(n.notices)-maxNotices):]
}

func (n *news) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, k := range n.jobs {
		if k.watch != nil {
			k.watch.cancel()
			k.watch = nil
		}
	}
}

func (n *news) drop(id engine.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.jobs, id)
}

// requeue queues notices again whose answer was not sent.
func (n *news) requeue(notices []notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notices = slices.Concat(notices, n.notices)
}

// output is how much a job had printed, in bytes, and since when that has not grown.
type output struct {
	size  int64
	since time.Time
}
