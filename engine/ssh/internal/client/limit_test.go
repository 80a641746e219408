package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A limit counts the time in which the user is not asked.
func TestLimit(t *testing.T) {
	prompt := func(l *limit, d time.Duration) {
		p := Prompts{Passphrase: func(context.Context, string, string, bool) (string, error) {
			time.Sleep(d)
			return "", nil
		}}
		p.within(l).Passphrase(t.Context(), "box", "key", false)
	}
	password := func(l *limit, d time.Duration) {
		p := Prompts{Password: func(context.Context, string, string, bool) (string, error) {
			time.Sleep(d)
			return "", nil
		}}
		p.within(l).Password(t.Context(), "box", "ann", false)
	}
	for name, c := range map[string]struct {
		do   func(l *limit)
		want time.Duration
	}{
		"nothing happens": {func(*limit) {}, 10 * time.Second},
		"the host has a limit of its own": {func(l *limit) {
			time.Sleep(time.Second)
			l.set(2 * time.Second)
		}, 3 * time.Second},
		"a prompt is open": {func(l *limit) {
			time.Sleep(time.Second)
			prompt(l, time.Hour)
		}, time.Hour + 10*time.Second},
		"two prompts": {func(l *limit) {
			prompt(l, time.Hour)
			prompt(l, time.Hour)
		}, 2*time.Hour + 10*time.Second},
		"the server decides on a password": {func(l *limit) { password(l, time.Hour) }, time.Hour + personLimit},
		"logged in with a password": {func(l *limit) {
			time.Sleep(time.Second)
			password(l, time.Hour)
			time.Sleep(time.Minute)
			l.loggedIn()
		}, time.Hour + time.Minute + 10*time.Second},
		"logged in without a person": {func(l *limit) {
			time.Sleep(time.Second)
			l.loggedIn()
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := Limit(t.Context(), 10*time.Second)
				defer cancel()
				c.do(limitOf(ctx))
				if err := ctx.Err(); err != nil {
					t.Fatalf("it ended early: %v", err)
				}
				<-ctx.Done()
				if took := time.Since(began); took != c.want || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
					t.Errorf("it ended after %s with %v, want %s", took, ctx.Err(), c.want)
				}
			})
		})
	}
}

func TestLimitEndsWithItsCaller(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	limited, cancel := Limit(ctx, time.Hour)
	defer cancel()
	stop()
	<-limited.Done()
	if err := limited.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
