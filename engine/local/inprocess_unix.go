//go:build linux || darwin

package local

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// inner holds the jobs of a backend that keeps them in this process.
type inner struct {
	wg sync.WaitGroup // of the jobs, and of starts under way

	mu     sync.Mutex // guards what follows
	jobs   map[*job]struct{}
	closed bool
	lost   []error // of jobs that ended without a record of it
}

// start starts a job. One that is started while the backend is closed is ended like
// the others.
func (in *inner) start(cfg launchConfig, lent files, lock *jobdir.Held) error {
	in.mu.Lock()
	if in.closed {
		in.mu.Unlock()
		return engine.ErrClosed
	}
	in.wg.Add(1)
	in.mu.Unlock()
	defer in.wg.Done()
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
	in.wg.Go(func() { in.keep(j) })
	if in.closed {
		in.wg.Go(func() { in.end(j) })
	}
	return nil
}

// keep keeps the job to its end.
func (in *inner) keep(j *job) {
	if j.pid != 0 {
		j.background(j.watchPauses)
		if x, ok := j.await(); ok {
			j.leaderEnded(x.status, x.usage)
			j.outlive()
			j.settleKills()
			j.outread()
		}
	}
	in.mu.Lock()
	delete(in.jobs, j)
	in.mu.Unlock()
	_ = j.close()
}

// pauseLook is the time between looks whether a job is stopped. Signals would tell at
// once, but they are the program's.
const pauseLook = 500 * time.Millisecond

// watchPauses tells of the leader's stopping and going on, until it has ended.
func (j *job) watchPauses() {
	tick := time.NewTicker(pauseLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-j.ended:
			return
		case <-j.ctx.Done():
			return
		}
		if p, err := proc.Stat(j.pid); err == nil && p.Identity() == j.ref.Leader {
			j.h.Paused(p.Stopped())
		}
	}
}

// close ends the jobs, each with its own grace time: once the program has let go of
// them nobody would see how they ended. The error says of which that could not be
// recorded; the second call has none.
func (in *inner) close() error {
	in.mu.Lock()
	if !in.closed {
		in.closed = true
		for j := range in.jobs {
			in.wg.Go(func() { in.end(j) })
		}
	}
	in.mu.Unlock()
	in.wg.Wait()
	in.mu.Lock()
	defer in.mu.Unlock()
	err := errors.Join(in.lost...)
	in.lost = nil
	return err
}

// end ends the job, and has whoever keeps it let go of it. What one that has ended
// left running is spared.
func (in *inner) end(j *job) {
	j.mu.Lock()
	over := j.reaped
	j.mu.Unlock()
	var err error
	if over {
		err = j.recorded(j.ctx)
	} else {
		_, err = j.end(j.ctx, engine.StopOptions{By: "close", Reason: engine.ReasonKill})
	}
	if why := j.h.Unrecorded(); err != nil && why != nil {
		// The disk may never take it.
		in.mu.Lock()
		in.lost = append(in.lost, fmt.Errorf("the end of %s cannot be recorded: %w", j.meta.ID, why))
		in.mu.Unlock()
		j.h.GiveUp()
	}
	j.mu.Lock()
	j.stop()
	j.mu.Unlock()
}
