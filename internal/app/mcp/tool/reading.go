package tool

import (
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

const (
	// manyPolls is the number of polls of a running job from which on the answer recommends wait.
	manyPolls = 3
	// stuckAfter is the number of equal answers in a row that count as a loop.
	stuckAfter = 20
)

// reading counts the reading calls about one running job, to detect agents that poll in a loop.
type reading struct {
	polls int    // while it ran
	idle  int    // polls in a row without news
	last  uint64 // hash of the last answer
	same  int    // equal answers in a row
}

// readings are the readings of a session.
type readings struct {
	mu sync.Mutex
	of map[engine.ID]*reading
}

// on returns the reading of a job; mu is held.
func (n *readings) on(id engine.ID) *reading {
	if n.of[id] == nil {
		n.of[id] = &reading{}
	}
	return n.of[id]
}

func (n *readings) drop(id engine.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.of, id)
}

// polled counts a poll. It returns the number of polls and of those in a row without news.
func (n *readings) polled(id engine.ID, hasNews bool) (idle, polls int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	k := n.on(id)
	k.polls++
	if k.idle++; hasNews {
		k.idle = 0
	}
	return k.idle, k.polls
}

// repeated counts equal answers about a job. It returns a notice when there were too many.
func (n *readings) repeated(j engine.Job, parts ...string) (notice string) {
	sum := fnv.New64a()
	for _, p := range append(parts, string(j.Status)) {
		sum.Write([]byte(p))
		sum.Write([]byte{0})
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	k := n.on(j.ID)
	if k.last != sum.Sum64() {
		k.last, k.same = sum.Sum64(), 0
	}
	if k.same++; k.same < stuckAfter {
		return ""
	}
	return fmt.Sprintf("you got this same answer %d times in a row: asking again will not change it. It may be stuck; %s waits for its end at no cost, %s ends it",
		k.same, Call("wait", j.ID, "timeout", 600000), Call("kill", j.ID))
}

// retryAfter returns the recommended pause after idle polls without news.
func retryAfter(idle int) time.Duration {
	steps := []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}
	return steps[min(max(idle, 1), len(steps))-1]
}
