package holder

import (
	"context"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// asksAtOnce limits how many holders LookAll asks at the same time, and therefore how many descriptors it opens.
const asksAtOnce = 64

// patience has the time limits for answers.
type patience struct {
	gone    time.Duration // for a holder whose job's process is gone
	stopped time.Duration // for a stopped holder
	running time.Duration // for a holder that looks as usual
	all     time.Duration // for all of them together
}

// usualPatience returns the time limits of clients. A running holder answers within helloTimeout even on a busy
// machine; a client that watches a job waits as long. A stopped holder gets a second, which outlasts the short
// stops of a tracer. A second is enough because its process is examined again if there is no answer, and a running
// process does not look stopped, however busy the machine is.
func usualPatience() patience {
	return patience{gone: helloTimeout, stopped: time.Second, running: 4 * time.Second, all: helloTimeout}
}

// Look reads the state of a job from its files and its lock. If the job's process is gone and no end is
// recorded, or if the holder is stopped, it asks the holder. A job whose records cannot be read at the moment
// has the link "unreachable", and nothing else is concluded. The error is fs.ErrNotExist for a directory
// that does not exist, because the job was removed, which is not an end; or jobdir.ErrNoMeta.
func Look(dir string) (record.State, error) {
	s, ask, err := lookBy(jobdir.Read, dir)
	if ask {
		confirm(context.Background(), dir, &s, usualPatience())
	}
	return s, err
}

// LookAll looks at the jobs in several directories, and asks their holders at the same time. With verify, it asks
// every holder, because one that hangs looks like one that has nothing to do; otherwise only those that Look asks.
// The result lacks jobs for which Look returns an error.
func LookAll(ctx context.Context, dirs []string, verify bool) (map[string]*record.State, error) {
	return lookAll(ctx, dirs, func(string) bool { return verify }, usualPatience())
}

// briefly is how long [LookSome] waits for answers, without patience.
const briefly = 250 * time.Millisecond

// LookSome is LookAll for a client that looks again and again: it asks the holders that Look asks and those for
// which verify is true. Without patience, it waits for none longer than a quarter of a second. A job is then unreachable
// if its holder was only slow: the client decides after several looks.
func LookSome(ctx context.Context, dirs []string, verify func(dir string) bool, patient bool) (map[string]*record.State, error) {
	p := usualPatience()
	if !patient {
		p.gone, p.stopped, p.running = briefly, briefly, briefly
	}
	return lookAll(ctx, dirs, verify, p)
}

func lookAll(ctx context.Context, dirs []string, verify func(dir string) bool, p patience) (map[string]*record.State, error) {
	states := make(map[string]*record.State, len(dirs))
	var asked []string
	for _, dir := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, ask, err := lookBy(jobdir.Read, dir)
		if err != nil {
			continue
		}
		states[dir] = &s
		if ask || verify(dir) && isHeld(&s) {
			asked = append(asked, dir)
		}
	}
	within, cancel := context.WithTimeout(ctx, p.all)
	defer cancel()
	turn := make(chan struct{}, asksAtOnce)
	var asks sync.WaitGroup
	for _, dir := range asked {
		turn <- struct{}{}
		asks.Go(func() {
			confirm(within, dir, states[dir], p)
			<-turn
		})
	}
	asks.Wait()
	return states, ctx.Err()
}

// isHeld reports whether a holder with a socket holds the job.
func isHeld(s *record.State) bool {
	switch {
	case s.Status.Finished(), s.Link != record.LinkNone:
		return false
	}
	return s.Socket != "" && SeesProcesses(s)
}

// MustAsk reports whether only the holder knows whether the job still runs.
func MustAsk(s *record.State) bool {
	if leaderGone(s) {
		return true
	}
	return holderStopped(s)
}

// leaderGone reports whether the job's process has ended although the records have no end.
func leaderGone(s *record.State) bool {
	switch s.Status {
	case record.Running, record.Stopping:
	default:
		return false
	}
	switch {
	case s.Leader.IsZero(), !SeesProcesses(s):
		return false
	}
	return !proc.Alive(s.Leader)
}

// holderStopped reports whether the holder of a job that has not ended is stopped by a signal or a tracer.
// It examines the process, because asking it takes a while if it is stopped.
func holderStopped(s *record.State) bool {
	switch {
	case s.Status.Finished(), s.Holder.IsZero(), !SeesProcesses(s):
		return false
	}
	return proc.Stopped(s.Holder)
}

// confirm completes the state s of a job whose records do not suffice. If its process has ended although its
// holder lives, the holder may be about to record the end, or unable to because the disk is full or
// read-only. A stopped holder may continue. If there is no answer, it is not known whether the job still runs.
func confirm(ctx context.Context, dir string, s *record.State, p patience) {
	gone, timeout := leaderGone(s), p.running
	switch {
	case gone:
		timeout = p.gone
	case holderStopped(s):
		timeout = p.stopped
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	facts, err := askFacts(within, s.Socket)
	if err == nil {
		facts.complete(s)
		if gone && s.Link != record.LinkNone {
			s.LinkError = goneAnd + s.LinkError
		}
		return
	}
	if rec, err := jobdir.Read(dir); err == nil && rec.Finished() {
		*s = stateOf(&rec)
		return
	}
	stopped, silent := holderStopped(s), isSilence(err)
	switch {
	case gone:
		s.LinkError = goneAnd + silence(s)
	case stopped, silent && ctx.Err() == nil:
		s.LinkError = silence(s)
	default:
		return // its socket cannot be reached, or too many others did not answer; its lock shows that it lives
	}
	s.Link = record.LinkUnreachable
	if !stopped && !silent {
		s.LinkError += ": " + err.Error()
	}
}

const goneAnd = "its process is gone and "

// complete adds to the state of a job what only its holder knows.
func (f *Facts) complete(s *record.State) {
	s.Unrecorded = f.Unrecorded
	if f.Unrecorded == nil && !f.DiskSince.IsZero() {
		s.Link, s.LinkError, s.StaleSince = record.LinkUnreachable, ErrDisk.Error(), f.DiskSince
	}
}

// askFacts asks the holder at a socket once. Unlike Dial, it does not wait until there is a socket, because a
// list asks many holders.
func askFacts(ctx context.Context, socket string) (facts Facts, err error) {
	if socket == "" {
		return facts, ErrNoSocket
	}
	c, err := dial(ctx, socket)
	if err != nil {
		return facts, err
	}
	c.begin()
	defer c.Close()
	err = c.Do(ctx, TypeStatus, nil, &facts)
	return facts, err
}
