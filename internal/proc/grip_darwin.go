package proc

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grip is one process; every use checks its birth first.
type grip struct{ p Process }

// take makes sure that the process p is there.
func take(p Process) (*grip, error) {
	if p.PID <= 1 || p.PID == os.Getpid() {
		return nil, errors.New("hob signals neither process 1 nor itself")
	}
	g := &grip{p: p}
	if !g.same() {
		return nil, ErrGone
	}
	return g, nil
}

func (g *grip) same() bool {
	now, err := Stat(g.p.PID)
	return err == nil && now.Start == g.p.Start && !now.Dead()
}

func (g *grip) signal(sig syscall.Signal) error {
	if !g.same() {
		return ErrGone
	}
	err := unix.Kill(g.p.PID, sig)
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

func (g *grip) release() {}

// grips are processes that are waited for together.
type grips struct{ held []*grip }

func (gs *grips) keep(g *grip) {
	if len(gs.held) < held {
		gs.held = append(gs.held, g)
	}
}

func (gs *grips) release() {}

// wait returns when all of them have ended, at the deadline, or with the error
// of ctx. It looks in growing intervals.
func (gs *grips) wait(ctx context.Context, deadline time.Time) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		left := gs.held[:0]
		for _, g := range gs.held {
			if g.same() {
				left = append(left, g)
			}
		}
		gs.held = left
		rest := time.Until(deadline)
		if len(left) == 0 || rest <= 0 {
			return nil
		}
		timer.Reset(min(pause, rest))
	}
}
