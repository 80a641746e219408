package cli

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/hobjobs/hob/engine"
)

// errEnough ends a follow early without being an error.
var errEnough = errors.New("enough")

// follow calls grown at once, whenever the job's logs may have grown, and a last
// time, with ended set, when the job has ended; then it returns how. An error of
// grown ends it, but for a host that cannot be reached: the logs are looked at
// again until it can. Calls of grown never overlap.
func follow(ctx context.Context, eng *engine.Engine, job engine.Job, grown func(ended bool) error) (engine.Exit, error) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()

	type end struct {
		exit engine.Exit
		err  error
	}
	ended := make(chan end, 1)
	work.Go(func() {
		exit, err := eng.Wait(ctx, job.ID)
		ended <- end{exit, err}
	})
	changed := make(chan struct{}, 1)
	work.Go(func() { watchJob(ctx, eng, job, changed) })

	for {
		var again <-chan time.Time
		if err := grown(false); errors.Is(err, engine.ErrUnreachable) {
			again = time.After(againAfter)
		} else if err != nil {
			return engine.Exit{}, err
		}
		select {
		case <-changed:
		case <-again:
		case e := <-ended:
			if e.err != nil {
				return engine.Exit{}, e.err
			}
			return e.exit, lastLook(ctx, grown)
		case <-ctx.Done():
			return engine.Exit{}, ctx.Err()
		}
	}
}

// againAfter is the pause between two looks at a log on a host that cannot be
// reached.
const againAfter = time.Second

// lastLook has what a job printed at its end read, and waits for its host if need
// be: the end is known, but the output is not yet all there.
func lastLook(ctx context.Context, grown func(ended bool) error) error {
	for {
		err := grown(true)
		if !errors.Is(err, engine.ErrUnreachable) {
			return err
		}
		select {
		case <-time.After(againAfter):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watchJob fills changed whenever something about the job changed, until ctx is
// done. A job directory on this machine is watched itself, which tells at once
// and costs nothing while nothing happens; for others the engine is asked.
func watchJob(ctx context.Context, eng *engine.Engine, job engine.Job, changed chan<- struct{}) {
	tell := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	if job.Host == "" && watchDir(ctx, jobDir(job), tell) == nil {
		return
	}
	sub := eng.Subscribe(engine.Filter{IDs: []engine.ID{job.ID}})
	defer sub.Close()
	for {
		if _, err := sub.Next(ctx); err != nil {
			return
		}
		tell()
	}
}

// watchDir calls tell for each change in dir until ctx is done. An error means
// that dir cannot be watched.
func watchDir(ctx context.Context, dir string, tell func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Add(dir); err != nil {
		return err
	}
	tell() // for what happened before the watch stood
	for {
		select {
		case _, ok := <-w.Events:
			if !ok {
				return fsnotify.ErrClosed
			}
			tell()
		case <-w.Errors: //nolint:errcheck // whatever it is, events may have been lost
			tell()
		case <-ctx.Done():
			return nil
		}
	}
}

// jobDir is the directory of a job on this machine.
func jobDir(job engine.Job) string {
	if job.OutputPath != "" {
		return filepath.Dir(job.OutputPath)
	}
	return filepath.Dir(job.StdoutPath)
}

// tellingLink is grown, which reads the logs of job for [follow], and tells a
// person when the host of the job is lost and found meanwhile.
func (a *app) tellingLink(job engine.Job, grown func(ended bool) error) func(ended bool) error {
	if job.Host == "" || !isTerminal(a.stderr) {
		return grown
	}
	lost := false
	return func(ended bool) error {
		err := grown(ended)
		gone := errors.Is(err, engine.ErrUnreachable)
		switch {
		case gone && !lost:
			a.sayf("hob: %s; %s goes on, its output follows when the host is back", escape(err.Error()), job.ID)
		case lost && err == nil:
			a.sayf("hob: %s is back", escape(job.Host))
		}
		lost = gone
		return err
	}
}
