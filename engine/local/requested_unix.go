//go:build linux || darwin

package local

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/ahead"
	"github.com/hobjobs/hob/internal/jobdir"
)

// ownStart makes this process the holder of a job that was made.
type ownStart func(rec engine.Record, cfg launchConfig, lock *jobdir.Held) (*engine.Observation, error)

// startOwn has start start the job of a request, and answers (see [ahead.Asked]). It
// returns nil if there is no job to hold then.
func startOwn(reply *os.File, start Starter, request []byte) (j *job) {
	say := func(verdict string) { _, _ = reply.WriteString(verdict + "\n") } // who died needs no answer
	here, more := New(), false
	here.own = func(rec engine.Record, cfg launchConfig, lock *jobdir.Held) (_ *engine.Observation, err error) {
		// It can be seen from now on: who asked must know that should this process die.
		_, _ = unix.Write(0, []byte(rec.ID+"\n"))
		nameSelf(string(rec.ID))
		syscall.CloseOnExec(replyFD)
		held, err := duplicate(lock.File())
		if err != nil {
			return nil, err
		}
		if j, err = hold(cfg, nil, held, inHolderAlone); err != nil {
			return nil, err
		}
		st := j.h.State()
		if st.End == nil && !more {
			say(ahead.AnswerRuns + string(rec.ID))
		} else {
			say(ahead.AnswerMore + string(rec.ID))
		}
		o := observationOf(rec.ID, &st)
		return &o, nil
	}
	if start != nil {
		_ = start(request, here, &more) // who asked finds the reason out in the other way
	}
	if j == nil {
		say(ahead.AnswerNo)
	}
	letGo(reply)
	return j
}

// Started reports whether the job in dir, which its holder was asked for, was started. If
// its holder died while it did that, what is known of the job is recorded, so that what it
// did by then can be ended; or nothing was executed, and the directory is removed.
func Started(dir string) bool {
	if jobdir.Locked(dir) { // as usual: to take the lock would be to wait for it
		return true
	}
	lock, err := jobdir.Lock(dir)
	if err != nil {
		return true // somebody looks after it
	}
	defer lock.Close()
	return lostAtStart(dir, runtimeDir()) || os.RemoveAll(dir) != nil
}
