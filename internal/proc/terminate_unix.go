//go:build linux || darwin

package proc

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"time"
)

const (
	// deathTime is how long SIGKILL may take; only uninterruptible sleep and
	// the release of much memory delay it.
	deathTime = 2 * time.Second
	// refusedTime is the same for processes that we may not signal, which
	// only end if they end by themselves.
	refusedTime = 100 * time.Millisecond
	// held is how many processes are waited for at once, each with a
	// descriptor; the others are met again by the next look.
	held = 256
	// settle is how long after the polite signal the members are looked at
	// again, the next times four times as long each.
	settle = 20 * time.Millisecond
	// freezePasses bounds the wait for stopped members to show as stopped. A
	// parent in vfork sleeps, without being able to fork, until its stopped
	// child lives on, so sleepers get fewer.
	freezePasses, sleeperPasses = 6, 2
)

// Terminate ends a job: the polite signal to all its members and, after the
// grace, SIGKILL until a look finds none. It returns as soon as they are gone,
// zombies not counted, and with survivors if they do not go. Children that a
// member starts while it winds up are left to it until it is gone.
//
// A cancelled ctx ends the waiting and is returned; it neither hurries the
// kill nor leaves a process stopped. Any other error means that the members
// could not be told.
func Terminate(ctx context.Context, job JobRef, opt Options) (Result, error) {
	l := &ladder{job: job, opt: opt, began: time.Now(), sent: map[Identity]bool{}}
	defer l.scan.Close()
	gone := false
	var left []Process
	var err error
	if opt.Grace > 0 {
		left, gone, err = l.ask(ctx)
	}
	if !gone && err == nil {
		err = l.force(ctx, left)
	}
	l.result.Took = time.Since(l.began)
	return l.result, err
}

// Signal sends sig to one process, or returns ErrGone if it has ended. It
// refuses pid 1 and the calling process.
func Signal(id Identity, sig syscall.Signal) error {
	start, ok := startNumber(id)
	if !ok {
		return ErrGone
	}
	g, err := take(Process{PID: id.PID, Start: start})
	if err != nil {
		return err
	}
	defer g.release()
	return g.signal(sig)
}

// ladder is one Terminate.
type ladder struct {
	job    JobRef
	opt    Options
	scan   Scanner
	began  time.Time
	sent   map[Identity]bool
	result Result
}

// look finds the members that are to go now.
func (l *ladder) look() ([]Process, error) {
	procs, err := l.scan.Members(l.job)
	if err != nil {
		return nil, err
	}
	if l.opt.KeepDaemons {
		procs = slices.DeleteFunc(procs, func(p Process) bool {
			if l.job.Session > 0 {
				return p.Session != l.job.Session
			}
			return p.PGID != l.job.Leader.PID
		})
	}
	l.result.Survivors = procs
	return procs, nil
}

// over reports whether it is certain that nobody is left. What has ended is
// collected by others, which may take a moment.
func (l *ladder) over() bool {
	if l.opt.Gone == nil {
		return false
	}
	for pause := 50 * time.Microsecond; ; pause *= 2 {
		if l.opt.Gone() {
			l.result.Survivors = nil
			return true
		}
		if pause > time.Millisecond {
			return false
		}
		time.Sleep(pause)
	}
}

// send signals and keeps the record.
func (l *ladder) send(g *grip, sigs ...syscall.Signal) error {
	for _, sig := range sigs {
		if err := g.signal(sig); err != nil {
			return err
		}
	}
	if id := g.p.Identity(); !l.sent[id] {
		l.sent[id] = true
		l.result.Signalled = append(l.result.Signalled, g.p)
	}
	return nil
}

func (l *ladder) stage(s Stage, procs []Process) {
	if l.opt.OnStage != nil {
		l.opt.OnStage(s, slices.Clone(procs))
	}
}

// ask is the polite stage. It reports whether everybody has gone, or who was there
// when the grace was over.
func (l *ladder) ask(ctx context.Context) (left []Process, gone bool, err error) {
	polite := l.opt.Signal
	if polite == 0 {
		polite = syscall.SIGTERM
	}
	sigs := []syscall.Signal{polite}
	if l.opt.HUP && polite != syscall.SIGHUP {
		sigs = append(sigs, syscall.SIGHUP)
	}
	sigs = append(sigs, syscall.SIGCONT)

	deadline := l.began.Add(l.opt.Grace)
	asked := map[Identity]string{} // with the program's name when it was asked
	pause := settle
	for first := true; ; first = false {
		if !first && l.over() {
			return nil, true, nil
		}
		procs, err := l.look()
		if err != nil || len(procs) == 0 {
			return nil, err == nil, err
		}
		if first {
			l.stage(StageAsk, procs)
		}
		now := time.Now()
		if !now.Before(deadline) {
			return procs, false, nil
		}
		// A child that has come since may clean up for its parent: it is asked
		// when all are gone that were asked before.
		everybody := !slices.ContainsFunc(procs, func(p Process) bool { _, ok := asked[p.Identity()]; return ok })
		var grips grips
		for _, p := range procs {
			name, known := asked[p.Identity()]
			if !known && !everybody {
				continue
			}
			g, err := take(p)
			if err != nil {
				continue
			}
			// A shell's child that has not yet become its command may lose a
			// signal to the handler that it has from the shell; the command
			// itself has not been asked.
			if !known || name != p.Comm {
				asked[p.Identity()] = p.Comm
				_ = l.send(g, sigs...) // one that has gone needs none
			}
			grips.keep(g)
		}
		until := now.Add(pause)
		if until.After(deadline) {
			until = deadline
		}
		pause = min(4*pause, time.Minute)
		err = grips.wait(ctx, until)
		grips.release()
		if err != nil {
			return nil, false, err
		}
	}
}

// force stops the tree until it no longer grows, kills it, and looks again. seen
// are the members as of this moment, or nil.
func (l *ladder) force(ctx context.Context, seen []Process) error {
	deadline := time.Now().Add(deathTime)
	for first := true; ; first = false {
		if !first && l.over() {
			return nil
		}
		procs, err := l.freeze(first, seen, deadline)
		seen = nil
		if len(procs) == 0 {
			return err
		}
		// Those that may not be signalled are waited for when no others are
		// left, and shortly.
		var killed, refused grips
		for _, p := range procs {
			g, err := take(p)
			if err != nil {
				continue
			}
			if errors.Is(l.send(g, syscall.SIGKILL), syscall.EPERM) {
				refused.keep(g)
			} else {
				killed.keep(g)
			}
		}
		hopeless := len(killed.held) == 0 && len(refused.held) > 0
		switch {
		case err != nil:
		case hopeless:
			err = refused.wait(ctx, time.Now().Add(refusedTime))
		default:
			err = killed.wait(ctx, deadline)
		}
		killed.release()
		refused.release()
		if err != nil {
			_, _ = l.look() // for the survivors; err is what ended this
			return err
		}
		if hopeless || !time.Now().Before(deadline) {
			_, err := l.look()
			return err
		}
	}
}

// freeze returns the members once they are all stopped and no new one has
// appeared. It begins with those seen this moment, if any. An error comes with
// those stopped so far, which must not be left. At the deadline it is enough: what
// may not be stopped can fork for ever.
func (l *ladder) freeze(announce bool, seen []Process, deadline time.Time) ([]Process, error) {
	stopped := map[Identity]bool{}
	var before []Process
	for pass := 0; ; pass++ {
		procs, err := seen, error(nil)
		if pass > 0 || len(seen) == 0 {
			procs, err = l.look()
		}
		if err != nil || len(procs) == 0 {
			return before, err
		}
		before = procs
		if announce {
			announce = false
			l.result.Escalated = l.opt.Grace > 0
			l.stage(StageKill, procs)
		}
		settled := true
		for _, p := range procs {
			if stopped[p.Identity()] {
				settled = settled && (p.Stopped() || p.State == 'D' && pass >= sleeperPasses || pass >= freezePasses)
				continue
			}
			settled = false
			stopped[p.Identity()] = true
			if g, err := take(p); err == nil {
				_ = l.send(g, syscall.SIGSTOP)
				g.release()
			}
		}
		if settled || pass > 0 && !time.Now().Before(deadline) {
			return procs, nil
		}
	}
}
