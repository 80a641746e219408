//go:build linux || darwin

package localjob

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/proc"
)

const (
	// The pause before a restart is firstPause, and doubles with each restart up to lastPause. After
	// a run of steadyTime it is firstPause again.
	firstPause = time.Second
	lastPause  = time.Minute
	steadyTime = time.Duration(record.StableAfter) * time.Millisecond
)

// kept is what a job keeps whose command is started again when it ends. The goroutine that waits
// for the leader owns it, except for wake and interrupted.
type kept struct {
	policy record.RestartPolicy
	files  *childFiles // of all runs
	count  int         // restarts so far
	why    string      // the last run was ended by hob; empty: it has ended by itself
	pause  time.Duration
	// constant is the pause before each restart; 0: it grows.
	constant time.Duration
	began    time.Time // the current run, or the last one
	// deadline is that of the job's timeout, which is for all runs together.
	deadline time.Time
	wake     chan struct{} // of size 1: a pause may have to end
	stable   *time.Timer   // records that the current run is stable; nil: it is the first
	// interrupted means that the last input was Ctrl+C, or that a signal asked the job to end.
	interrupted atomic.Bool
}

// decide makes a pause end if the job is to be stopped.
func (k *kept) decide() {
	if k == nil {
		return
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// nextPause returns the pause after a run of the given duration.
func (k *kept) nextPause(ran time.Duration) time.Duration {
	if k.constant > 0 {
		return k.constant
	}
	if ran >= steadyTime {
		k.pause = 0
	}
	k.pause = min(max(2*k.pause, firstPause), lastPause)
	return k.pause
}

// startsAgain reports whether the command is started again after this end of a run. If not, the end
// is that of the job. A request to end the job, by a client or by Ctrl+C, is never followed by a
// restart.
func (j *job) startsAgain(end record.Exit) bool {
	if j.kept == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	stopped := j.asked != nil || end.EndedBy != "" || j.kept.interrupted.Load()
	j.final = stopped || !j.kept.policy.Restarts(end, j.kept.count)
	return !j.final
}

// nextRun starts the command again after a pause. It reports false if the job has ended instead.
func (j *job) nextRun(end record.Exit) bool {
	k := j.kept
	for {
		if k.stable != nil {
			k.stable.Stop()
		}
		pause := k.nextPause(time.Since(k.began))
		next := time.Now().Add(pause)
		k.why = ""
		if end.Reason == record.ReasonUnhealthy {
			k.why = "unhealthy: " + end.Error
		}
		j.h.RunEnded(end, next)
		if j.tty != nil {
			j.tty.reset()
		}
		j.endRemains()
		err := errStopped
		if j.waitForRun(next) {
			k.count++
			k.began = time.Now()
			err = j.run()
		}
		switch {
		case err == nil:
			return true
		case errors.Is(err, errStopped):
			j.over(j.stopped())
			return false
		}
		end = j.spawnFailure(err)
		if !j.startsAgain(end) {
			j.over(end)
			return false
		}
	}
}

// errStopped means that the job is to be stopped, so its command must not be started.
var errStopped = errors.New("the job is to be stopped")

// waitForRun waits until the next run is due. It reports false if the job is to be stopped instead.
func (j *job) waitForRun(next time.Time) bool {
	due := time.NewTimer(time.Until(next))
	defer due.Stop()
	for {
		j.mu.Lock()
		j.final = j.asked != nil
		stop := j.final
		j.mu.Unlock()
		if stop {
			return false
		}
		select {
		case <-due.C:
			return true
		case <-j.kept.wake:
		case <-j.ctx.Done():
			return false
		}
	}
}

// run starts the command once more. Its output follows a line with the number of the run.
func (j *job) run() error {
	k := j.kept
	j.h.RunBegins()
	line := record.RunLine(k.count+1, k.began, k.why)
	if j.logs != nil {
		j.logs.appendLine(line)
		j.h.Grew()
	} else {
		j.h.ResetScreen(line + "\r\n")
	}
	if err := j.launch(k.files); err != nil {
		return err
	}
	j.started(k.began, k.deadline)
	restarts := k.count
	k.stable = time.AfterFunc(steadyTime, func() { j.h.RunStable(restarts) })
	return nil
}

// stopped returns the end of a job that was stopped between two runs.
func (j *job) stopped() record.Exit {
	end := record.Exit{
		At:     time.Now(),
		Status: record.Killed,
		Reason: record.ReasonKill,
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.final = true
	if j.asked != nil {
		end.Reason, end.EndedBy = j.asked.Reason, j.asked.By
	}
	return end
}

// endRemains ends the processes that a run left in the job's session: the next run may need what they
// hold, such as a port. Daemons, which have a session of their own, continue and are recorded.
func (j *job) endRemains() {
	if len(j.findSurvivors()) == 0 {
		return
	}
	j.endRun() // the next run starts beside what cannot be ended
	j.h.RunLeft(j.survivors())
}

// endRun ends the processes of a run that another one follows, except daemons.
func (j *job) endRun() {
	opt := proc.Options{
		Signal:      proc.StopSignal(j.meta.StopSignal),
		Grace:       j.grace(),
		KeepDaemons: true,
	}
	if j.reaps {
		opt.Gone = func() bool { return !haveChildren() }
	}
	_, _ = proc.Terminate(j.ctx, j.remains(), opt)
}

// interrupt notes whether input p interrupts the job, as Ctrl+C does. Between two runs it ends the
// job, since there is no process that it could reach.
func (j *job) interrupt(p []byte) {
	k := j.kept
	if k == nil || j.tty == nil {
		return
	}
	stop := j.tty.interrupts(p)
	k.interrupted.Store(stop)
	j.mu.Lock()
	defer j.mu.Unlock()
	if stop && j.reaped && !j.final {
		j.stopBetweenRunsLocked("Ctrl+C")
	}
}

// stopBetweenRunsLocked ends the job, whose command does not run now, unless it is being stopped.
func (j *job) stopBetweenRunsLocked(by string) {
	if j.asked == nil {
		j.asked = &record.StopOptions{By: by, Reason: record.ReasonKill}
		j.kept.decide()
	}
}
