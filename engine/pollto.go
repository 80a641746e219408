package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// PollTo is like Poll for a caller that passes the output on. It calls deliver with pieces, the
// last of which has More unset. The output counts as read only when deliver has returned nil for
// the last piece, so whatever ends this program, some output may be delivered twice but none is
// lost. Meanwhile other polls of client wait, and fail after a few seconds. To leave output for the
// next poll, deliver unsets More or moves Cursor back.
//
// PollTo returns the error of deliver, which ends the poll. The error matches ErrUnkept if
// everything was delivered but the cursor could not be saved, as on a full or read-only disk.
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
		case errors.Is(lockErr, jobdir.ErrLocked) && time.Since(began) < wait+cursorTimeout:
			continue
		case errors.Is(lockErr, jobdir.ErrLocked):
			return &Error{
				Op: "poll", Job: id, Err: fmt.Errorf("another poll of %q is still delivering its output", client),
				Hint: "wait until it is done, or poll as another client",
			}
		case lockErr == nil && jobdir.ReadCursor(dir, client) != from:
			turn.Close()
			continue
		case lockErr == nil:
			defer turn.Close()
		}
		to, err := e.deliverFrom(ctx, p, deliver)
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

// deliverFrom delivers p and the output after it, and returns the final cursor.
func (e *Engine) deliverFrom(ctx context.Context, p Poll, deliver func(*Poll) error) (to int64, err error) {
	for {
		if err := deliver(&p); err != nil || !p.More {
			return p.Cursor, err
		}
		if p, err = e.PollAt(ctx, p.Job.ID, p.Cursor, 0); err != nil {
			return p.Cursor, err
		}
	}
}

// unkept returns the error of a poll whose cursor could not be saved because of err, or nil if err
// is nil.
func unkept(j Job, client string, err error) error {
	if err == nil {
		return nil
	}
	return opError("poll", j, fmt.Errorf("%w by %q: %w", ErrUnkept, client, err))
}
