//go:build linux || darwin

package local

import (
	"fmt"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/queue"
)

// ticket is the place of a new job in its queue, for its holder. The zero ticket is that of a job that
// starts at once.
type ticket struct {
	env   []string // for the holder
	alive *jobdir.Alive
	gone  func()
}

// enqueue puts a new job in its queue. The caller has the job's lock.
func (b *Backend) enqueue(l engine.Launch) (ticket, error) {
	if b.inProcess {
		return ticket{}, fmt.Errorf("%w: a queue for jobs in this program", engine.ErrUnsupported)
	}
	alive, err := jobdir.OpenAlive(l.Dir)
	if err != nil {
		return ticket{}, err
	}
	env, gone, err := queue.Enter(l.Dir, l.Spec.Queue, l.Spec.After, l.Spec.AfterAny)
	if err != nil {
		alive.Close()
		return ticket{}, err
	}
	return ticket{env, alive, gone}, nil
}

// leave removes a job that was not started from its queue.
func (t ticket) leave() {
	if t.gone != nil {
		t.gone()
	}
}

// kept returns the descriptors that a holder keeps: the lock, and the pipe of a queued job.
func (t ticket) kept(lock *jobdir.FileLock) []int {
	fds := []int{int(lock.File().Fd())}
	if t.alive != nil {
		fds = append(fds, t.alive.FD())
	}
	return fds
}
