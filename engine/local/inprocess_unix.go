//go:build linux || darwin

package local

import (
	"sync"

	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
)

// inner holds the jobs of a backend that keeps them in this process.
type inner struct {
	mu   sync.Mutex
	jobs map[*job]struct{}
	wg   sync.WaitGroup
}

func (in *inner) start(cfg launchConfig, lent files, lock *jobdir.Held) error {
	lent, err := lent.duplicate() // the job's holder closes what it is lent
	if err != nil {
		return err
	}
	held, err := duplicate(lock.File())
	if err != nil {
		lent.close()
		return err
	}
	j, err := hold(cfg, lent, held, false)
	if err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.jobs == nil {
		in.jobs = map[*job]struct{}{}
	}
	in.jobs[j] = struct{}{}
	in.wg.Go(func() {
		if j.pid != 0 {
			if x, ok := j.await(); ok {
				j.leaderEnded(x.status, x.usage)
				j.outlive()
				j.settleKills()
			}
		}
		in.mu.Lock()
		delete(in.jobs, j)
		in.mu.Unlock()
		_ = j.close()
	})
	return nil
}

// close ends the jobs, each with its own grace time: once the program has let go of
// them nobody would see how they ended.
func (in *inner) close() error {
	in.mu.Lock()
	for j := range in.jobs {
		in.wg.Go(func() {
			j.mu.Lock()
			over := j.reaped
			j.mu.Unlock()
			if !over { // what one that has ended left running is spared
				_, _ = j.kill(j.ctx, holder.Kill{By: "close", Reason: "kill"})
			}
			j.mu.Lock()
			j.stop()
			j.mu.Unlock()
		})
	}
	in.mu.Unlock()
	in.wg.Wait()
	return nil
}
