//go:build linux || darwin

package proc

import (
	"context"
	"errors"
	"os"
	"slices"
	"syscall"
	"time"
)

const (
	// killTimeout is the longest wait after SIGKILL. Only uninterruptible sleep, the
	// release of much memory and a busy machine delay the end of a process.
	killTimeout = 10 * time.Second
	// stuckTimeout is the same if all that are left are in uninterruptible sleep: a disk or
	// a network file system does not answer, and may not for hours.
	stuckTimeout = 2 * time.Second
	// deniedTimeout is the same for processes that may not be signaled.
	deniedTimeout = 100 * time.Millisecond
	// maxHandles limits the processes that are waited for at once, each with a
	// descriptor. The others are found again by the next check.
	maxHandles = 256
	// firstRecheck is the time from the polite signal to the next check for members.
	// Each further interval is four times as long.
	firstRecheck = 20 * time.Millisecond
	// maxStopPasses limits the wait until stopped members are reported as stopped.
	// maxSleeperPasses is the limit for members in uninterruptible sleep: a parent in
	// vfork stays there, unable to fork, while its child is stopped.
	maxStopPasses, maxSleeperPasses = 6, 2
)

// Terminate ends a job: it sends the polite signal to all members and, after the grace
// period, SIGKILL until no member is left. It returns as soon as all members have ended,
// even if they are zombies, or with survivors if they do not end. A child that a member
// starts after the signal, for example to clean up, is signaled only after that member has
// ended.
//
// If ctx ends, Terminate stops waiting and returns its error. It does not kill earlier
// because of that and leaves no process stopped. Any other error means that the members
// could not be determined.
func Terminate(ctx context.Context, job JobRef, opt Options) (Result, error) {
	if opt.Signal == 0 {
		opt.Signal = syscall.SIGTERM
	}
	if opt.Signal == syscall.SIGKILL {
		opt.Grace = 0
	}
	t := &termination{job: job, opt: opt, began: time.Now(), sent: map[Identity]bool{}}
	gone := false
	var left []Process
	var err error
	if opt.Grace > 0 {
		left, gone, err = t.signalAndWait(ctx)
	}
	if !gone && err == nil {
		err = t.kill(ctx, left)
	}
	t.result.Took = time.Since(t.began)
	return t.result, err
}

// Signal sends sig to one process. The error is ErrGone if that has ended. Signal refuses
// pid 1 and the calling process.
func Signal(id Identity, sig syscall.Signal) error {
	start, ok := startNumber(id)
	if !ok {
		return ErrGone
	}
	h, err := openHandle(Process{PID: id.PID, Start: start})
	if err != nil {
		return err
	}
	defer h.release()
	return h.signal(sig)
}

// termination is one call of Terminate.
type termination struct {
	job    JobRef
	opt    Options
	scan   Scanner
	began  time.Time
	sent   map[Identity]bool
	result Result
}

// members returns the members that are to be ended.
func (t *termination) members() ([]Process, error) {
	procs, err := t.scan.Members(t.job)
	if err != nil {
		return nil, err
	}
	if t.opt.KeepDaemons {
		procs = slices.DeleteFunc(procs, func(p Process) bool {
			if t.job.Session > 0 {
				return p.Session != t.job.Session
			}
			return p.PGID != t.job.Leader.PID
		})
	}
	t.result.Survivors = procs
	return procs, nil
}

// allGone reports whether it is certain that no member is left. Zombies may take a moment
// to be reaped.
func (t *termination) allGone() bool {
	if t.opt.Gone == nil {
		return false
	}
	for pause := 50 * time.Microsecond; ; pause *= 2 {
		if t.opt.Gone() {
			t.result.Survivors = nil
			return true
		}
		if pause > time.Millisecond {
			return false
		}
		time.Sleep(pause)
	}
}

// send sends signals to a process and records that.
func (t *termination) send(h *handle, sigs ...syscall.Signal) error {
	for _, sig := range sigs {
		if err := h.signal(sig); err != nil {
			return err
		}
	}
	if id := h.p.Identity(); !t.sent[id] {
		t.sent[id] = true
		t.result.Signaled = append(t.result.Signaled, h.p)
	}
	return nil
}

// signalAndWait sends the polite signal and waits for the grace period. It reports whether
// all members have ended, and returns those that are left.
func (t *termination) signalAndWait(ctx context.Context) (left []Process, gone bool, err error) {
	sigs := []syscall.Signal{t.opt.Signal}
	if t.opt.HUP {
		sigs = append(sigs, syscall.SIGHUP)
	}
	sigs = append(sigs, syscall.SIGCONT)

	deadline := t.began.Add(t.opt.Grace)
	signaled := map[Identity]string{} // the program's name at the time of the signal
	pause := firstRecheck
	for first := true; ; first = false {
		if !first && t.allGone() {
			return nil, true, nil
		}
		procs, err := t.members()
		if err != nil || len(procs) == 0 {
			return nil, err == nil, err
		}
		now := time.Now()
		if !now.Before(deadline) {
			return procs, false, nil
		}
		// A new child may clean up for its parent: it is signaled when all members
		// that were signaled before have ended.
		signalNew := !slices.ContainsFunc(procs, func(p Process) bool { _, ok := signaled[p.Identity()]; return ok })
		var waiting handleSet
		for _, p := range procs {
			name, known := signaled[p.Identity()]
			if !known && !signalNew {
				continue
			}
			h, err := openHandle(p)
			if err != nil {
				continue
			}
			// Between fork and exec, a shell's child may lose a signal to a
			// handler inherited from the shell. So it is signaled again once it
			// runs another program.
			if !known || name != p.Comm {
				signaled[p.Identity()] = p.Comm
				_ = t.send(h, sigs...) // fails only if it has ended
			}
			waiting.add(h)
		}
		until := now.Add(pause)
		if until.After(deadline) {
			until = deadline
		}
		pause = min(4*pause, time.Minute)
		err = waiting.wait(ctx, until)
		waiting.release()
		if err != nil {
			return nil, false, err
		}
	}
}

// kill stops all members until no new ones appear, kills them, and checks for members
// again. seen are the current members, or nil.
func (t *termination) kill(ctx context.Context, seen []Process) error {
	began := time.Now()
	deadline, patience := began.Add(killTimeout), began.Add(stuckTimeout)
	for first := true; ; first = false {
		if !first && t.allGone() {
			return nil
		}
		procs, err := t.stopAll(first, seen, deadline)
		seen = nil
		if len(procs) == 0 {
			return err
		}
		// Members that may not be signaled are waited for only if no others are
		// left, and only briefly.
		var killed, denied handleSet
		for _, p := range procs {
			h, err := openHandle(p)
			if err != nil {
				continue
			}
			if errors.Is(t.send(h, syscall.SIGKILL), syscall.EPERM) {
				denied.add(h)
			} else {
				killed.add(h)
			}
		}
		onlyDenied := len(killed.handles) == 0 && len(denied.handles) > 0
		switch {
		case err != nil:
		case onlyDenied:
			err = denied.wait(ctx, time.Now().Add(deniedTimeout))
		default:
			err = killed.wait(ctx, patience)
		}
		killed.release()
		denied.release()
		if err != nil {
			_, _ = t.members() // updates the survivors
			return err
		}
		over := onlyDenied || !time.Now().Before(deadline)
		if late := !time.Now().Before(patience); late || over {
			left, err := t.members()
			if over || err != nil || onlyStuck(left) {
				return err
			}
			patience = deadline
		}
	}
}

// onlyStuck reports whether all processes are in uninterruptible sleep.
func onlyStuck(procs []Process) bool {
	return !slices.ContainsFunc(procs, func(p Process) bool { return p.State != 'D' })
}

// atRest reports whether p, which was sent SIGSTOP, needs no further look in this pass: it is stopped,
// or has been waited for long enough. A process in an uninterruptible sleep stops when that ends.
func atRest(p Process, pass int) bool {
	switch {
	case p.Stopped(), pass >= maxStopPasses:
		return true
	case p.State == 'D':
		return pass >= maxSleeperPasses
	}
	return false
}

// stopAll sends SIGSTOP to all members until they are stopped and no new ones appear, and
// returns them. It begins with seen, the current members, unless that is empty. With an
// error it returns the members stopped so far, which must not be left stopped. It gives up
// at the deadline, because members that may not be stopped can fork forever.
func (t *termination) stopAll(first bool, seen []Process, deadline time.Time) ([]Process, error) {
	stopped := map[Identity]bool{}
	var before []Process
	for pass := 0; ; pass++ {
		procs, err := seen, error(nil)
		if pass > 0 || len(seen) == 0 {
			procs, err = t.members()
		}
		if err != nil || len(procs) == 0 {
			return before, err
		}
		before = procs
		if first {
			first = false
			t.result.Escalated = t.opt.Grace > 0
			if t.opt.OnKill != nil {
				t.opt.OnKill()
			}
		}
		settled := true
		for _, p := range procs {
			if stopped[p.Identity()] {
				if !atRest(p, pass) {
					settled = false
				}
				continue
			}
			settled = false
			stopped[p.Identity()] = true
			if h, err := openHandle(p); err == nil {
				_ = t.send(h, syscall.SIGSTOP)
				h.release()
			}
		}
		outOfTime := pass > 0 && !time.Now().Before(deadline)
		if settled || outOfTime {
			return procs, nil
		}
	}
}

// alive reports whether the process of h is alive.
func (h *handle) alive() bool { return Alive(h.p.Identity()) }

// errUntouchable is the error for the processes that hob never signals.
var errUntouchable = errors.New("hob signals neither process 1 nor itself")

func untouchable(pid int) bool { return pid <= 1 || pid == os.Getpid() }

// handleSet is a set of processes to wait for.
type handleSet struct{ handles []*handle }

// add takes ownership of h. It releases h if the set is full.
func (s *handleSet) add(h *handle) {
	if len(s.handles) >= maxHandles {
		h.release()
		return
	}
	s.handles = append(s.handles, h)
}

func (s *handleSet) release() {
	for _, h := range s.handles {
		h.release()
	}
}

// wait returns when all processes have ended, at the deadline, or with the error of ctx. It polls
// at increasing intervals.
func (s *handleSet) wait(ctx context.Context, deadline time.Time) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		left := s.handles[:0]
		for _, h := range s.handles {
			if h.alive() {
				left = append(left, h)
			} else {
				h.release()
			}
		}
		s.handles = left
		rest := time.Until(deadline)
		if len(left) == 0 || rest <= 0 {
			return nil
		}
		timer.Reset(min(pause, rest))
	}
}
