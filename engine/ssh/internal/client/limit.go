package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// ConnectLimit is how long an attempt to connect may take, if neither the settings of the host
	// nor its configuration limit it.
	ConnectLimit = 10 * time.Second
	// personLimit is how long a login may take from the moment that a person has a part in it, such
	// as confirming it on a phone. The time to answer prompts is not counted. It is the limit of
	// OpenSSH's server, too.
	personLimit = 2 * time.Minute
	// signLimit is how long an agent may take to sign, which the user may have to confirm.
	signLimit = 30 * time.Second
)

// limit is the context of an attempt to connect, from its beginning to the first answer of the host.
// The time that the user takes is not counted, so it has no deadline that is known in advance.
type limit struct {
	context.Context // ends with the limit

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	end   time.Time     // unless held
	left  time.Duration // while held
	held  int           // prompts that are open
	// saved is what was left before a person had a part in the login; notSaved: none has.
	saved time.Duration
}

const notSaved = -1

type limitKey struct{}

// Limit returns a context that ends after d, or d after the beginning of the attempt in whose context
// it is. [Dialer.Dial] changes that to the time that is configured for the host.
func Limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	l := &limit{Context: inner, end: time.Now().Add(d), saved: notSaved}
	l.timer = time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return l, func() {
		l.timer.Stop()
		cancel(context.Canceled)
	}
}

// Err implements [context.Context]. For callers it is a deadline.
func (l *limit) Err() error {
	err := l.Context.Err()
	if err != nil && errors.Is(context.Cause(l.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

// Value implements [context.Context].
func (l *limit) Value(key any) any {
	if key == (limitKey{}) {
		return l
	}
	return l.Context.Value(key)
}

// limitOf returns the limit of the attempt that ctx belongs to; nil if there is none.
func limitOf(ctx context.Context) *limit {
	l, _ := ctx.Value(limitKey{}).(*limit)
	return l
}

// isLate reports whether an attempt to connect has taken too long.
func isLate(ctx context.Context) bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }

// late is the error for an attempt that took too long with what doing describes.
func late(step, doing string, args ...any) *Error {
	return &Error{Step: step, Err: fmt.Errorf(doing+": no answer in time", args...), Hint: SlowHint}
}

// SlowHint is the hint for an attempt that took too long.
const SlowHint = "if the host is only slow, set connect_timeout for it in config.toml"

// set changes what is left of the limit to d, and returns what was left.
func (l *limit) set(d time.Duration) (before time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.setLocked(d)
}

func (l *limit) setLocked(d time.Duration) (before time.Duration) {
	if l.held > 0 {
		before, l.left = l.left, d
		return before
	}
	before = time.Until(l.end)
	l.end = time.Now().Add(d)
	l.timer.Reset(d)
	return before
}

// hold stops the time until release is called.
func (l *limit) hold() (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held++; l.held == 1 {
		l.timer.Stop()
		l.left = time.Until(l.end)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.held--; l.held == 0 {
			l.setLocked(l.left)
		}
	}
}

// involve notes that a person has a part in the login from now on.
func (l *limit) involve() {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.setLocked(personLimit)
	if l.saved == notSaved {
		l.saved = max(0, before)
	}
}

// loggedIn notes that the login is over: what follows has no more time than after a login without
// questions to the user.
func (l *limit) loggedIn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.saved != notSaved {
		l.setLocked(l.saved)
		l.saved = notSaved
	}
}

// within returns p whose prompts stop the time of l while they are open.
func (p Prompts) within(l *limit) Prompts {
	if ask := p.Passphrase; ask != nil {
		p.Passphrase = func(ctx context.Context, host, file string, again bool) (string, error) {
			defer l.hold()()
			return ask(ctx, host, file, again)
		}
	}
	if ask := p.Password; ask != nil {
		p.Password = func(ctx context.Context, host, user string, again bool) (string, error) {
			l.involve()
			defer l.hold()()
			return ask(ctx, host, user, again)
		}
	}
	if ask := p.Questions; ask != nil {
		p.Questions = func(ctx context.Context, host string, q Questions) ([]string, error) {
			l.involve()
			defer l.hold()()
			return ask(ctx, host, q)
		}
	}
	if ask := p.HostKey; ask != nil {
		p.HostKey = func(ctx context.Context, host string, k HostKey) (bool, error) {
			defer l.hold()()
			return ask(ctx, host, k)
		}
	}
	return p
}
