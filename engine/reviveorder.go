package engine

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// putFirst is the note about a job that was put first in its queue. Of two such jobs, the one with the larger number
// comes first.
const putFirst = "put-first"

// notePutFirst notes that jobs were put first in their queues, in this order. The entries of a queue are gone when its
// jobs are started again after a reboot.
func notePutFirst(e *Engine, ids []ID) {
	now := time.Now().UnixNano()
	for i, id := range ids {
		if err := jobdir.WriteCursor(e.root.Dir(string(id)), putFirst, now-int64(i)); err != nil {
			e.log.Debug("cannot note that a job was put first", "job", id, "err", err)
		}
	}
}

// turn returns the order of lost jobs of one queue: those that ran come first, then those that were put first.
func (r *reviver) turn(j Job) int64 {
	if !j.StartedAt.IsZero() {
		return math.MaxInt64
	}
	return jobdir.ReadCursor(r.root.Dir(string(j.ID)), putFirst)
}

// inOrder returns jobs, which are in the order of their requests, in the order in which they are started: in each queue
// as the jobs stood there, and each job after those that it waits for.
func (r *reviver) inOrder(jobs []Job) []Job {
	places := map[[2]string][]int{} // of the jobs of each queue
	for i, j := range jobs {
		if j.Queue != "" {
			queue := [2]string{j.Host, j.Queue}
			places[queue] = append(places[queue], i)
		}
	}
	turned := slices.Clone(jobs)
	for _, at := range places {
		sorted := slices.Clone(at)
		slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(r.turn(jobs[b]), r.turn(jobs[a])) })
		for i, place := range at {
			turned[place] = jobs[sorted[i]]
		}
	}
	return afterOthers(turned)
}

// afterOthers moves jobs behind those that they wait for.
func afterOthers(jobs []Job) []Job {
	left := map[ID]Job{}
	for _, j := range jobs {
		left[j.ID] = j
	}
	ordered := make([]Job, 0, len(jobs))
	var add func(id ID)
	add = func(id ID) {
		j, ok := left[id]
		if !ok {
			return
		}
		delete(left, id)
		for _, other := range slices.Concat(j.After, j.AfterAny) {
			add(other)
		}
		ordered = append(ordered, j)
	}
	for _, j := range jobs {
		add(j.ID)
	}
	return ordered
}
