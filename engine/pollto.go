package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// PollTo is Poll for a caller that hands the output on: deliver gets it in pieces, the
// last of which has no More. They count as read when it has returned nil for that one,
// and not before, whatever ends this program: some may come again, but none is missing.
// Other polls of client wait a while meanwhile, and fail then. To leave some of it to the
// next poll deliver unsets More, or sets Cursor back.
//
// The error is that of deliver, which ends the poll, and matches ErrUnkept if all was
// delivered and cannot be recorded as read, as on a disk that is full or read-only.
func (e *Engine) PollTo(ctx context.Context, id ID, client string, wait time.Duration, deliver func(*Poll) error) error {
	if client == "" {
		client = e.cfg.client
	}
	dir := e.root.Dir(string(id))
	if _, err := e.record(id); err != nil {
		return err
	}
	for began := time.Now(); ; {
		from := jobdir.ReadCursor(dir, client)
		p, err := e.PollAt(ctx, id, from, max(0, wait-time.Since(began)))
		if err != nil {
			return err
		}
		if p.Cursor == from {
			return deliver(&p)
		}
		turn, lockErr := jobdir.LockCursor(dir, client)
		switch {
		case errors.Is(lockErr, jobdir.ErrLocked) && time.Since(began) < wait+cursorPatience:
			continue
		case errors.Is(lockErr, jobdir.ErrLocked):
			return &Error{
				Op: "poll", Job: id, Err: fmt.Errorf("another poll of %q has not handed on yet what it read", client),
				Hint: "wait for that one, or poll as another client",
			}
		case lockErr == nil && jobdir.ReadCursor(dir, client) != from:
			turn.Close()
			continue
		case lockErr == nil:
			defer turn.Close()
		}
		to, err := e.handOn(ctx, p, deliver)
		if err == nil {
			err = lockErr
			if err == nil {
				err = jobdir.WriteCursor(dir, client, to)
			}
			err = unkept(p.Job, client, err)
		}
		return err
	}
}

// handOn delivers p and what follows it, and says where that ends.
func (e *Engine) handOn(ctx context.Context, p Poll, deliver func(*Poll) error) (to int64, err error) {
	for {
		if err := deliver(&p); err != nil || !p.More {
			return p.Cursor, err
		}
		if p, err = e.PollAt(ctx, p.Job.ID, p.Cursor, 0); err != nil {
			return p.Cursor, err
		}
	}
}

// unkept is the error of a poll whose cursor could not be kept because of err; nil if
// that is nil.
func unkept(j Job, client string, err error) error {
	if err == nil {
		return nil
	}
	return fault("poll", j, fmt.Errorf("%w by %q: %w", ErrUnkept, client, err))
}
