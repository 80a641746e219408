package holder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// silence returns a text about a holder that does not answer, with what to do if that is known.
func silence(s *record.State) string {
	if holderStopped(s) {
		return fmt.Sprintf("its supervisor process is stopped; to continue it: kill -CONT %d", s.Holder.PID)
	}
	return "its supervisor process does not answer"
}

// isSilence reports whether err is that of a holder that exists, and neither answers nor ends: its process
// is suspended, or waits for a disk.
func isSilence(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, syscall.EAGAIN) // its socket's queue is full
}

// silentError is the error for a holder that does not answer or cannot be found. It matches ErrNoSocket.
type silentError struct {
	text string // see silence
	err  error
}

func (e *silentError) Error() string   { return e.text }
func (e *silentError) Unwrap() []error { return []error{ErrNoSocket, e.err} }

// answerPause is the time without an answer to an instruction after which the holder is asked whether it answers
// at all. An instruction may take long: the job does not read its input, or its processes do not end.
const answerPause = 2 * time.Second

// giveUpIfSilent closes the connection if the holder does not answer the instruction t because it hangs, until
// answered is called. A holder that waits for its disk still ends the job.
func (c *Client) giveUpIfSilent(ctx context.Context, t Type) (answered func()) {
	if c.silence == nil {
		return func() {}
	}
	ends := t == TypeKill || t == TypeStop
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	late := time.AfterFunc(answerPause, func() {
		defer close(done)
		for ok := true; ok; ok = sleep(ctx, answerPause) {
			err := c.hangs(ctx, ends)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				_ = c.shut(err)
				return
			}
		}
	})
	return func() {
		cancel()
		if !late.Stop() { // it has begun
			<-done
		}
	}
}

// hangs returns an error if the holder does not answer now, or waits for its disk, unless disk is set.
func (c *Client) hangs(ctx context.Context, disk bool) error {
	ctx, cancel := context.WithTimeout(ctx, usualPatience().running)
	defer cancel()
	facts, err := askFacts(ctx, c.socket)
	switch {
	case isSilence(err):
		return &silentError{c.silence(), err}
	case err != nil, disk, facts.DiskSince.IsZero():
		return nil
	}
	return &silentError{ErrDisk.Error(), ErrDisk}
}
