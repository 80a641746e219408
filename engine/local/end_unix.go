//go:build linux || darwin

package local

import (
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/proc"
)

const (
	// partingTime is how long processes that go down with the leader may take
	// before they are taken for survivors.
	partingTime = 20 * time.Millisecond
	// settledTime is when what is left is looked at for the last time.
	settledTime = 2 * time.Second
)

// collect reaps the leader if it has ended, and hears of its stopping and going
// on. It never blocks.
func (j *job) collect() (status syscall.WaitStatus, usage syscall.Rusage, ended bool) {
	for {
		j.mu.Lock()
		pid, err := syscall.Wait4(j.pid, &status, syscall.WNOHANG|syscall.WUNTRACED|waitContinued, &usage)
		ended = pid == j.pid && (status.Exited() || status.Signaled())
		j.reaped = j.reaped || ended
		j.mu.Unlock()
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil || pid != j.pid:
			return status, usage, false
		case ended:
			j.reaper.Forget(j.pid)
			return status, usage, true
		case status.Stopped() && j.leads && stopsItself(status.StopSignal()):
			_ = unix.Kill(-j.pid, unix.SIGCONT)
		case status.Stopped():
			j.h.Paused(true)
		case status.Continued():
			j.h.Paused(false)
		}
	}
}

// await waits for the leader in a program that has other children; ok is false if
// the program lets go of the job first.
func (j *job) await() (x exit, ok bool) {
	// Looking first and reaping under the lock keeps signals from reaching
	// whoever gets the pid next.
	if !waitEnd(j.ctx, j.pid) {
		return x, false
	}
	for {
		j.mu.Lock()
		_, err := syscall.Wait4(j.pid, &x.status, 0, &x.usage)
		j.reaped = err != syscall.EINTR
		j.mu.Unlock()
		if err != syscall.EINTR {
			return x, err == nil
		}
	}
}

// leaderEnded records the end: everything that the leader printed is in the log
// then.
func (j *job) leaderEnded(status syscall.WaitStatus, usage syscall.Rusage) {
	at := time.Now()
	if j.timeout != nil {
		j.timeout.Stop()
	}
	if j.tty != nil {
		j.tty.settle()
	}
	end := j.endOf(status, usage)
	end.At = at
	end.Survivors = j.parting()
	j.prompt.stop()
	if j.logs != nil {
		j.logs.cap(j.h) // what was written since watch looked
	}
	j.h.End(end)
	close(j.ended)
}

// endOf translates what the system reported.
func (j *job) endOf(status syscall.WaitStatus, usage syscall.Rusage) engine.Exit {
	j.mu.Lock()
	asked, sent := j.asked, j.sent
	j.mu.Unlock()
	end := engine.Exit{
		Status: engine.Exited, Reason: engine.ReasonExit,
		Usage: engine.Usage{User: ms(usage.Utime), System: ms(usage.Stime), MaxRSS: maxRSS(usage)},
	}
	code := status.ExitStatus()
	if status.Signaled() {
		sig := status.Signal()
		code = 128 + int(sig)
		end.Status, end.Reason = engine.Killed, engine.ReasonSignal
		end.Signal, end.Core = proc.SignalName(sig), status.CoreDump()
		if sent.sig == sig {
			end.EndedBy = sent.by
		}
	}
	if asked != nil {
		end.Status, end.Reason, end.EndedBy = engine.Killed, asked.Reason, asked.By
	}
	end.Code = &code
	return end
}

func ms(t syscall.Timeval) engine.Milliseconds {
	return engine.Milliseconds(int64(t.Sec)*1000 + int64(t.Usec)/1000) //nolint:unconvert // it has another width on other systems
}

// parting is what the leader left running, once those that go with it have gone.
func (j *job) parting() []engine.Process {
	if j.forced.Load() {
		return nil // who kills them says who is left
	}
	if j.own && !haveChildren() {
		return nil // a subreaper without children has no descendants
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
		if j.own {
			if !haveChildren() {
				return nil
			}
		}
	}
}

// remains is the job with what the record of its end names, if there is one.
func (j *job) remains() proc.JobRef {
	ref := j.ref
	st := j.h.State()
	ref.Known = holder.SurvivorsOf(&st)
	return ref
}

// survivors are the job's processes without its leader.
func (j *job) survivors() []engine.Process {
	procs, err := proc.Members(j.remains())
	if err != nil {
		return nil
	}
	return holder.Describe(procs)
}

// outread waits until those who copy the output have taken what the log's limit is to
// free. A reader that goes away lets go of it.
func (j *job) outread() {
	trim := func() bool { return j.logs.cap(j.h) }
	if j.logs == nil {
		trim = j.h.Trim
	}
	for pause := growthPause; j.ctx.Err() == nil && trim() && sleep(j.ctx, pause); {
		pause = min(2*pause, time.Second)
	}
}

// outlive keeps the terminal for those who still use it, so that they are not
// hung up and what they print is logged.
func (j *job) outlive() {
	end := j.h.State().Exit
	if j.tty == nil || !end.Known() { // the program has given up recording it
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
