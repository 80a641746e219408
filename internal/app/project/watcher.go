package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// watcher waits until a process is ready.
type watcher struct {
	eng  *engine.Engine
	id   engine.ID // of its job
	proc Process
	// limit bounds every wait for which the file has no limit.
	limit time.Duration
}

// defaultLimit is the limit of waits for which neither the file nor the user gives one.
const defaultLimit = 10 * time.Minute

// await returns when the process is ready, or an error if it never will be, or is not in time. Its time
// begins with its job, which may be queued behind another one.
func (w watcher) await(ctx context.Context) error {
	begin := fmt.Sprintf("%s begins", w.proc.Name)
	if err := w.within(ctx, w.limit, begin, w.awaitBegin); err != nil {
		return err
	}
	ready := Need{Name: w.proc.Name, Until: IsReady}.describe(w.proc)
	return w.within(ctx, cmp.Or(w.proc.Ready.Limit, w.limit), ready, w.awaitReady)
}

// expired reports whether the limit of limited ended it, and not ctx, from which it is derived.
func expired(limited, ctx context.Context) bool { return ctx.Err() == nil && limited.Err() != nil }

// within calls wait with a limit. until describes what it waits for.
func (w watcher) within(ctx context.Context, limit time.Duration, until string, wait func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := wait(limited)
	if err != nil && expired(limited, ctx) {
		return fmt.Errorf("after %s it still waits until %s; see: hob log %s", units.DurationText(limit), until, w.id)
	}
	return err
}

// errBegun ends the wait for the begin of a job.
var errBegun = errors.New("the job has begun")

func (w watcher) awaitBegin(ctx context.Context) error {
	_, err := w.eng.Handle(w.id).WaitFor(ctx, engine.Condition{Look: func(j engine.Job) error {
		if j.StartedAt.IsZero() {
			return nil
		}
		return errBegun
	}})
	switch {
	case errors.Is(err, errBegun):
		return nil
	case err == nil:
		return w.endedTooEarly()
	}
	return err
}

func (w watcher) awaitReady(ctx context.Context) error {
	ready := w.proc.Ready
	if ready.Probe.exists() {
		return w.try(ctx, ready.Probe, func() bool { return w.probe(ctx) == nil })
	}
	line, err := regexp.Compile(ready.Line)
	if err != nil {
		return fmt.Errorf("%s: %w", w.proc.Name, err)
	}
	out, err := w.eng.Handle(w.id).WaitFor(ctx, engine.Condition{Line: line})
	if err == nil && !out.Met {
		err = w.endedTooEarly()
	}
	return err
}

func (w watcher) endedTooEarly() error {
	return fmt.Errorf("%s has ended before it was ready", w.proc.Name)
}

// try calls attempt as the probe says, until enough calls in a row have returned true. It returns an error
// if the job ends first.
func (w watcher) try(ctx context.Context, probe Probe, attempt func() bool) error {
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	wait.Go(func() {
		_, err := w.eng.Handle(w.id).Wait(ctx)
		ended <- err
	})
	pause := probe.Delay
	for succeeded := 0; succeeded < max(1, probe.Successes); {
		select {
		case err := <-ended:
			if err == nil {
				err = w.endedTooEarly()
			}
			return err
		case <-time.After(pause):
		}
		pause = probe.Every
		if attempt() {
			succeeded++
		} else {
			succeeded = 0
		}
	}
	return nil
}

// probe makes one attempt of the probe of the process, and returns why it fails.
func (w watcher) probe(ctx context.Context) error {
	probe := w.proc.Ready.Probe
	ctx, cancel := context.WithTimeout(ctx, probe.Timeout)
	defer cancel()
	if probe.Get != nil {
		return probe.Get.Check(ctx, probe.Code)
	}
	shell := w.proc.Shell
	if shell == nil {
		shell = []string{"sh", "-c"}
	}
	cmd := exec.CommandContext(ctx, shell[0], append(slices.Clone(shell[1:]), probe.Script)...)
	cmd.Dir, cmd.Env = probe.Dir, w.proc.environ()
	for name, value := range w.proc.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	endGroup(cmd)
	return cmd.Run()
}
