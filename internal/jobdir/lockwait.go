package jobdir

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobjobs/hob/internal/proc"
)

const (
	// noticeAfter is how long a lock may be held before that is reported to the user: all are held for moments.
	noticeAfter = time.Second
	// heldLimit is how long to wait for a lock. A start on a host may hold one for half a minute.
	heldLimit = time.Minute
	// lockPoll is the time between two attempts.
	lockPoll = 5 * time.Millisecond
)

// HeldError reports that another process has held a lock for too long.
type HeldError struct {
	Path   string
	Holder string // "process 123 (hob run x)", or "another process" if it is not known
	PID    int    // 0: not known
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s has had %s locked for more than %d seconds", e.Holder, e.Path, int(heldLimit.Seconds()))
}

// HeldHint returns what to do about a *HeldError; "" for other errors.
func HeldHint(err error) string {
	e, ok := errors.AsType[*HeldError](err)
	switch {
	case !ok:
		return ""
	case e.PID == 0:
		return "find the process that has the file open and end it, or continue it if it is stopped"
	}
	return fmt.Sprintf("if it is stopped, continue it: kill -CONT %d; or end it: kill -KILL %[1]d", e.PID)
}

type noticeKey struct{}

// WithLockNotice returns a context whose waits for locks call notice, from the waiting goroutine, if
// they take long. The text describes what they wait for.
func WithLockNotice(ctx context.Context, notice func(text string)) context.Context {
	return context.WithValue(ctx, noticeKey{}, notice)
}

// AwaitLock calls try, which acquires the lock on the file at path, until its error is not ErrLocked.
// If another process holds the lock for too long, the error is a *HeldError.
func AwaitLock(ctx context.Context, path string, try func() error) error {
	began := time.Now()
	notice, _ := ctx.Value(noticeKey{}).(func(string))
	for {
		err := try()
		if !errors.Is(err, ErrLocked) {
			return err
		}
		waited := time.Since(began)
		if waited >= heldLimit {
			return heldError(path)
		}
		if notice != nil && waited >= noticeAfter {
			notice(fmt.Sprintf("waiting for %s, which has %s locked", LockHolder(path), path))
			notice = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// LockHolder describes the process that has the file at path locked: "process 123 (hob run x)", or
// "another process" if it is not known.
func LockHolder(path string) string { return heldError(path).Holder }

func heldError(path string) *HeldError {
	e := &HeldError{Path: path, Holder: "another process"}
	p, ok := proc.LockHolder(path)
	if !ok {
		return e
	}
	command := p.Comm
	if argv, err := proc.Cmdline(p.PID); err == nil && len(argv) > 0 {
		command = strings.Join(argv, " ")
	}
	state := "process"
	if p.Stopped() {
		state = "stopped process"
	}
	e.PID, e.Holder = p.PID, fmt.Sprintf("%s %d (%s)", state, p.PID, command)
	return e
}
