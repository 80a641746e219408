//go:build linux || darwin

package localjob

import (
	"context"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/proc"
)

const (
	// partingTime is how long processes may take to end with the leader before they count as
	// survivors.
	partingTime = 20 * time.Millisecond
	// settledTime is the time of the last search for survivors after the end.
	settledTime = 2 * time.Second
)

// collect reaps the leader if it has ended, and records when it is stopped and continued. It never
// blocks.
func (j *job) collect() (x exit, ended bool) {
	for {
		j.mu.Lock()
		if j.pid == 0 || j.reaped {
			j.mu.Unlock()
			return x, false
		}
		pid, err := syscall.Wait4(j.pid, &x.status, syscall.WNOHANG|syscall.WUNTRACED|waitContinued, &x.usage)
		ended = pid == j.pid && (x.status.Exited() || x.status.Signaled())
		j.reaped = ended
		j.final = ended && j.kept == nil
		j.mu.Unlock()
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil, pid != j.pid:
			return x, false
		case ended:
			j.reaper.Forget(pid)
			return x, true
		case x.status.Stopped() && j.leads && stopsItself(x.status.StopSignal()):
			_ = unix.Kill(-j.pid, unix.SIGCONT)
		case x.status.Stopped():
			j.h.Paused(true)
		case x.status.Continued():
			j.h.Paused(false)
		}
	}
}

// await waits for the leader in a program that has other children; ok is false if the program
// releases the job first.
func (j *job) await() (x exit, ok bool) {
	// Waiting first and reaping under the lock keeps signals from reaching a process that reuses
	// the pid.
	if !waitEnd(j.ctx, j.pid) {
		return x, false
	}
	for {
		j.mu.Lock()
		_, err := syscall.Wait4(j.pid, &x.status, 0, &x.usage)
		j.reaped = err != syscall.EINTR
		j.final = j.reaped
		j.mu.Unlock()
		if err != syscall.EINTR {
			return x, err == nil
		}
	}
}

// leaderEnded records the end, after all of the leader's output is in the log, unless the command is
// started again: then it reports true.
func (j *job) leaderEnded(x exit) (again bool) {
	j.runOver()
	j.checks.stop()
	end := j.endOf(x)
	end.At = time.Now()
	if !j.startsAgain(end) {
		j.over(end)
		return false
	}
	if j.tty != nil {
		j.tty.settle(false)
	}
	return j.nextRun(end)
}

// over records the end of the job.
func (j *job) over(end record.Exit) {
	if j.timeout != nil {
		j.timeout.Stop()
	}
	if j.tty != nil && j.tty.slave != nil {
		j.tty.settle(true)
	}
	end.Survivors = j.findSurvivors()
	j.prompt.stop()
	if j.logs != nil {
		j.logs.cap(j.h) // output written since watch last checked
	}
	j.h.End(end)
	close(j.ended)
}

func (j *job) endOf(x exit) record.Exit {
	status, usage := x.status, x.usage
	j.mu.Lock()
	asked, sent, unhealthyWhy := j.asked, j.sent, j.unhealthyWhy
	j.unhealthyWhy = ""
	j.mu.Unlock()
	end := record.Exit{
		Status: record.Exited,
		Reason: record.ReasonExit,
		Usage: record.Usage{
			User:   ms(usage.Utime),
			System: ms(usage.Stime),
			MaxRSS: j.peakOf(usage),
		},
	}
	code := status.ExitStatus()
	if status.Signaled() {
		sig := status.Signal()
		code = 128 + int(sig)
		end.Status, end.Reason = record.Killed, record.ReasonSignal
		end.Signal, end.Core = proc.SignalName(sig), status.CoreDump()
		if sent.sig == sig {
			end.EndedBy = sent.by
		}
	}
	end.OOMKills = j.oomKills(asked == nil && end.Signal == "SIGKILL")
	switch {
	case asked != nil:
		end.Status, end.Reason, end.EndedBy = record.Killed, asked.Reason, asked.By
	case unhealthyWhy != "":
		end.Status, end.Reason, end.EndedBy, end.Error = record.Killed, record.ReasonUnhealthy, "", unhealthyWhy
	}
	end.Code = &code
	return end
}

// peakOf returns the peak memory of the leader in bytes. The system's value starts at the size of
// this process, which forked the leader: if it is not clearly above that, the peak is not known, and
// peakOf returns 0. The kernel's counts for one process differ by up to a few hundred pages.
func (j *job) peakOf(usage syscall.Rusage) int64 {
	if peak := maxRSS(usage); peak > j.forkPeak+j.forkPeak/4 {
		return peak
	}
	return 0
}

// peakOfUsage returns the peak memory of this process as getrusage reports it, in bytes; 0 if it is
// not known.
func peakOfUsage() int64 {
	var own syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil {
		return 0
	}
	return maxRSS(own)
}

func ms(t syscall.Timeval) record.Milliseconds {
	return record.Milliseconds(int64(t.Sec)*1000 + int64(t.Usec)/1000) //nolint:unconvert // it has another width on other systems
}

// findSurvivors returns the processes that the leader left running, after those that end with it
// have ended.
func (j *job) findSurvivors() []record.Process {
	if j.forced.Load() {
		return nil // the client that kills them reports the rest
	}
	if j.hasNoDescendants() {
		return nil
	}
	if j.tty != nil && !j.own {
		select {
		case <-j.tty.eof:
		case <-time.After(partingTime):
		}
	}
	deadline := time.Now().Add(partingTime)
	for {
		left := j.survivors()
		if len(left) == 0 || !time.Now().Before(deadline) {
			return left
		}
		time.Sleep(2 * time.Millisecond)
		if j.hasNoDescendants() {
			return nil
		}
	}
}

// hasNoDescendants reports whether the holder process has no children: it adopts orphans, so the job
// has no descendants either. Other holders cannot know that.
func (j *job) hasNoDescendants() bool { return j.own && !haveChildren() }

// remains returns a reference to the job that includes the recorded survivors.
func (j *job) remains() proc.JobRef {
	st := j.h.State()
	j.mu.Lock()
	defer j.mu.Unlock()
	ref := j.ref
	ref.Known, ref.Others = holder.SurvivorsOf(&st), slices.Clone(j.others)
	return ref
}

// survivors returns the job's processes without its leader.
func (j *job) survivors() []record.Process {
	procs, err := proc.Members(j.remains())
	if err != nil {
		return nil
	}
	return holder.Describe(procs)
}

// waitForReaders waits until clients that copy the output have read what the log limit is about to
// free. A client that exits releases its hold.
func (j *job) waitForReaders() {
	trim := func() bool { return j.logs.cap(j.h) }
	if j.logs == nil {
		trim = j.h.Trim
	}
	for pause := growthPause; j.ctx.Err() == nil && trim() && sleep(j.ctx, pause); {
		pause = min(2*pause, time.Second)
	}
}

// waitForTerminal keeps the terminal open for processes that still use it, so that they are not hung
// up and their output is logged.
func (j *job) waitForTerminal() {
	end := j.h.State().Exit
	if j.tty == nil || !end.Known() { // the program could not record it
		return
	}
	named := end.Survivors
	settled := time.NewTimer(settledTime)
	defer settled.Stop()
	for {
		select {
		case <-j.tty.eof:
			return
		case <-settled.C:
			if left := j.survivors(); !slices.Equal(left, named) {
				j.h.Survivors(left)
			}
		case <-j.ctx.Done():
			return
		}
	}
}

// sleep waits for d; it reports false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
