//go:build linux || darwin

package localjob

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// InProcess holds jobs in this process. They end with it. Its zero value has none.
type InProcess struct {
	wg sync.WaitGroup // of jobs, and of starts in progress

	mu     sync.Mutex // guards the fields below
	jobs   map[*job]struct{}
	closed bool
	lost   []error // errors of jobs whose end was not recorded
}

// Start starts a job. A job that is started during Close is ended like the others.
func (in *InProcess) Start(cfg Config, given map[int]*os.File, lock *jobdir.FileLock) error {
	in.mu.Lock()
	if in.closed {
		in.mu.Unlock()
		return record.ErrClosed
	}
	in.wg.Add(1)
	in.mu.Unlock()
	defer in.wg.Done()
	passed, err := files(given).duplicate() // the job's holder closes the files it receives
	if err != nil {
		return err
	}
	held, err := duplicate(lock.File())
	if err != nil {
		passed.close()
		return err
	}
	j, err := hold(cfg, nil, passed, held, false)
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

// keep keeps the job until its end.
func (in *InProcess) keep(j *job) {
	if j.pid != 0 {
		j.background(j.watchPauses)
		if x, ok := j.await(); ok {
			j.leaderEnded(x)
			j.waitForTerminal()
			j.waitForStops()
			j.waitForReaders()
		}
	}
	in.mu.Lock()
	delete(in.jobs, j)
	in.mu.Unlock()
	_ = j.close()
}

// pollEnd waits until the child pid has ended. It returns false if ctx ends first.
func pollEnd(ctx context.Context, pid int) bool {
	for pause := time.Millisecond; !hasEnded(pid); pause = min(2*pause, 100*time.Millisecond) {
		if !sleep(ctx, pause) {
			return false
		}
	}
	return true
}

// hasEnded reports whether the child pid is ready to be reaped.
func hasEnded(pid int) bool {
	p, err := proc.Stat(pid)
	return err != nil || p.Dead()
}

// pausePollInterval is how often the leader is checked for being stopped. A signal would report it
// immediately, but signals belong to the program.
const pausePollInterval = 500 * time.Millisecond

// watchPauses reports when the leader is stopped and continued, until it has ended.
func (j *job) watchPauses() {
	tick := time.NewTicker(pausePollInterval)
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

// Close ends the jobs, each with its own grace period: after the program has released them, their
// ends could not be observed. The error lists ends that could not be recorded; a second call
// returns nil.
func (in *InProcess) Close() error {
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

// end ends the job and makes its goroutine release it. Survivors of a job that has already ended
// are spared.
func (in *InProcess) end(j *job) {
	j.mu.Lock()
	over := j.final
	j.mu.Unlock()
	var err error
	if over {
		err = j.waitRecorded(j.ctx)
	} else {
		_, err = j.end(j.ctx, record.StopOptions{By: "close", Reason: record.ReasonKill})
	}
	if why := j.h.Unrecorded(); err != nil && why != nil {
		// The record may never be written.
		in.mu.Lock()
		in.lost = append(in.lost, fmt.Errorf("the end of %s cannot be recorded: %w", j.meta.ID, why))
		in.mu.Unlock()
		j.h.GiveUp()
	}
	j.mu.Lock()
	j.stop()
	j.mu.Unlock()
}
