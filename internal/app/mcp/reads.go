package mcp

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

// reads counts the reading calls of a session, to detect agents that poll in a loop.
type reads struct {
	mu   sync.Mutex
	jobs map[engine.ID]*reading
}

// reading has the counts of one running job.
type reading struct {
	polls int    // while it ran
	idle  int    // polls in a row without news
	last  uint64 // hash of the last answer
	same  int    // equal answers in a row
}

// of calls f with the counts of a job, under the lock.
func (r *reads) of(id engine.ID, f func(*reading)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.jobs[id] == nil {
		r.jobs[id] = &reading{}
	}
	f(r.jobs[id])
}

func (r *reads) drop(id engine.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.jobs, id)
}

// polled counts a poll. It returns the number of polls and of those in a row without news.
func (r *reads) polled(id engine.ID, news bool) (idle, polls int) {
	r.of(id, func(k *reading) {
		k.polls++
		if k.idle++; news {
			k.idle = 0
		}
		idle, polls = k.idle, k.polls
	})
	return idle, polls
}

// repeated counts equal answers about a job. It returns a notice when there were too many.
func (r *reads) repeated(j engine.Job, parts ...string) (notice string) {
	sum := fnv.New64a()
	for _, p := range append(parts, string(j.Status)) {
		sum.Write([]byte(p))
		sum.Write([]byte{0})
	}
	r.of(j.ID, func(k *reading) {
		if k.last != sum.Sum64() {
			k.last, k.same = sum.Sum64(), 0
		}
		if k.same++; k.same >= stuckAfter {
			notice = fmt.Sprintf("you got this same answer %d times in a row: asking again will not change it. It may be stuck; %s waits for its end at no cost, %s ends it",
				k.same, call("wait", j.ID, "timeout", 600000), call("kill", j.ID))
		}
	})
	return notice
}

// retryAfter returns the recommended pause after idle polls without news.
func retryAfter(idle int) time.Duration {
	steps := []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}
	return steps[min(max(idle, 1), len(steps))-1]
}
