//go:build linux || darwin

package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localclient"
)

// errUnhooked prevents endless recursion: a program that was started as the holder of its own job,
// and starts that job instead.
var errUnhooked = errors.New("this program is the holder of a job, but does not begin with local.IsHolder")

// Capabilities implements [engine.Backend].
func (b *Backend) Capabilities(string) engine.Capabilities {
	return engine.Capabilities{
		PTY:         true,
		Stdin:       true,
		Split:       true,
		Resize:      true,
		LogLimit:    true,
		TTYStdin:    true,
		Restart:     !b.inProcess,
		StopCommand: !b.inProcess,
		Health:      !b.inProcess,
	}
}

// Start implements [engine.Backend].
func (b *Backend) Start(ctx context.Context, l engine.Launch) (*engine.State, error) {
	failed := func(op string, err error) error {
		return &engine.Error{
			Op:      op,
			Job:     l.ID,
			Backend: b.Name(),
			Err:     err,
		}
	}
	b.mu.Lock()
	closed := b.closed
	b.mu.Unlock()
	if closed {
		return nil, engine.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !b.inProcess && len(b.launcher.Command) == 0 && localclient.Misstarted() {
		return nil, failed("start", errUnhooked)
	}
	// Until there is a holder, this process holds the lock that marks the job as alive.
	lock, ok := l.Lock.(*jobdir.FileLock)
	if !ok {
		var err error
		if lock, err = jobdir.Lock(l.Dir); err != nil {
			return nil, failed("start", fmt.Errorf("hold the job: %w", err))
		}
		defer lock.Close()
	}
	if l.InPlaceOf != "" {
		other, err := localclient.TakePlace(ctx, l.Dir, l.InPlaceOf)
		if err == nil && other != "" {
			err = fmt.Errorf("%w: another program has started %s in its place", engine.ErrInvalid, other)
		}
		if err != nil {
			return nil, failed("start", err)
		}
	}
	launch := localclient.Launch{
		Dir:      l.Dir,
		Request:  &l.Job.Request,
		Env:      l.Env,
		Set:      slices.Sorted(maps.Keys(l.Spec.Env)),
		After:    l.Spec.After,
		AfterAny: l.Spec.AfterAny,
		Files:    l.Files,
		Lock:     lock,
		Notify:   b.notify,
		Events:   b.events,
	}
	if b.inProcess {
		return nil, b.startInside(launch, failed)
	}
	begun, err := b.launcher.Start(ctx, launch)
	if queueErr, ok := errors.AsType[*localclient.QueueError](err); ok {
		return nil, &engine.Error{
			Op:      "queue",
			Job:     l.ID,
			Backend: b.Name(),
			Err:     queueErr.Err,
			Hint:    jobdir.HeldHint(queueErr.Err),
		}
	}
	if err != nil {
		return nil, failed("start", err)
	}
	return begun, nil
}

// startInside starts a job in this process.
func (b *Backend) startInside(l localclient.Launch, failed func(op string, err error) error) error {
	if l.Request.Waits() {
		return failed("queue", fmt.Errorf("%w: a queue for jobs in this program", engine.ErrUnsupported))
	}
	if err := b.inner.Start(l.Config(), l.Files, l.Lock); err != nil {
		return failed("start", err)
	}
	return nil
}
