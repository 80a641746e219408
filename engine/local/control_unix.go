//go:build linux || darwin

package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/proc"
)

// patientPause is with which pause, after a second together, a disk is no longer
// waited for.
const patientPause = 500 * time.Millisecond

// hooks are what clients can do to the job.
func (j *job) hooks() holder.Hooks {
	hooks := holder.Hooks{Signal: j.signal, Stop: j.end}
	if j.tty != nil || j.noTTY != nil || j.meta.Stdin == "pipe" || j.meta.Stdin == "tty" {
		hooks.Input = func(ctx context.Context, p []byte) error {
			if j.in == nil {
				return &holder.Failure{Code: holder.CodeNoInput, Message: "the job takes no input"}
			}
			err := j.in.write(ctx, p)
			j.prompt.typed()
			return err
		}
		hooks.CloseInput = func(ctx context.Context) error {
			if j.in == nil {
				return &holder.Failure{Code: holder.CodeNoInput, Message: "the job takes no input"}
			}
			err := j.in.end(ctx)
			j.prompt.typed()
			return err
		}
		hooks.Reply = func(p []byte) { j.in.reply(j.ctx, &j.wg, p) }
	}
	if j.tty != nil {
		hooks.Resize = j.tty.resize
	}
	return hooks
}

func ended() error {
	return &holder.Failure{Code: holder.CodeEnded, Message: "the job has ended"}
}

// signal sends one signal to the foreground and the leader's group.
func (j *job) signal(_ context.Context, name, by string) error {
	sig, err := proc.ParseSignal(name)
	if err != nil {
		return &holder.Failure{Code: holder.CodeInvalid, Message: err.Error()}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.pid == 0 || j.reaped {
		return ended()
	}
	// Not reaped yet, so the number is still the leader's, and its group's.
	groups := []int{j.pid}
	if j.tty != nil {
		_ = j.tty.control(func(fd int) error {
			fg, err := proc.ForegroundGroup(fd)
			if err == nil && fg > 1 && fg != j.pid && fg != unix.Getpgrp() {
				groups = append(groups, fg)
			}
			return err
		})
	}
	j.sent = sentSignal{sig, by}
	var failed error
	for _, g := range groups {
		if err := unix.Kill(-g, sig); err != nil && !errors.Is(err, unix.ESRCH) {
			failed = err
		}
	}
	return failed
}

// kill ends the whole tree and returns when it is gone and the end is recorded.
func (j *job) end(ctx context.Context, o engine.StopOptions) (report engine.StopReport, err error) {
	grace := o.Grace
	if grace == 0 {
		grace = j.grace()
	}
	grace = max(0, grace)
	j.mu.Lock()
	if j.pid == 0 || j.gone {
		j.mu.Unlock()
		return report, ended()
	}
	j.kills.Add(1)
	defer j.kills.Done()
	over := j.reaped
	if !over {
		j.ladders++
		if j.asked == nil {
			j.asked = &o
		}
		defer func() {
			j.mu.Lock()
			j.ladders--
			j.mu.Unlock()
		}()
	}
	j.mu.Unlock()
	if over {
		if left := j.survivors(); len(left) == 0 {
			if err := j.recorded(ctx); err != nil {
				return report, err
			}
			return report, ended()
		}
	} else {
		now := time.Now()
		j.h.Stopping(&engine.StopRequest{By: o.By, Reason: o.Reason, At: now, Deadline: now.Add(grace)})
	}
	opt := proc.Options{
		Grace: grace, HUP: j.interactiveShell(), KeepDaemons: o.KeepDaemons,
		OnStage: func(s proc.Stage, _ []proc.Process) {
			if s == proc.StageKill {
				j.forced.Store(true)
			}
		},
	}
	defer j.forced.Store(false)
	if j.reaps {
		opt.Gone = func() bool { return !haveChildren() }
	}
	res, err := proc.Terminate(ctx, j.remains(), opt)
	report = engine.StopReport{Took: res.Took, Escalated: res.Escalated, Survivors: holder.Describe(res.Survivors)}
	if err != nil {
		if !over {
			j.spared(&o, len(res.Signalled) > 0)
		}
		return report, err
	}
	if !over && slices.ContainsFunc(res.Survivors, func(p proc.Process) bool { return p.PID == j.pid }) {
		return report, nil // stuck in the kernel: its end comes when it comes
	}
	if err := j.recorded(ctx); err != nil {
		return report, err
	}
	if o.KeepDaemons {
		report.Survivors = j.survivors() // with those that were spared
	}
	j.h.Survivors(report.Survivors)
	return report, nil
}

// spared takes a request back that could not be carried out: the job goes on. touched
// says that somebody of it was signalled all the same, by which it may end yet.
func (j *job) spared(o *engine.StopOptions, touched bool) {
	j.mu.Lock()
	others := j.ladders > 1
	if j.asked == o && !touched && !others {
		j.asked = nil
	}
	j.mu.Unlock()
	if !others {
		j.h.Stopping(nil)
	}
}

// recorded waits until the end is recorded, so that who is told of it finds out how
// it was. A disk that takes no record is waited for no longer than it takes to see
// that.
func (j *job) recorded(ctx context.Context) error {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		select {
		case <-j.ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		if err := j.h.Unrecorded(); err != nil && pause >= patientPause {
			return &holder.Failure{Code: holder.CodeFailed, Message: fmt.Sprintf("it is gone, but that cannot be recorded: %v", err)}
		}
	}
}

// interactiveShell reports whether the job is a shell at a prompt, which ignores
// SIGTERM and heeds SIGHUP.
func (j *job) interactiveShell() bool {
	argv := j.meta.Command
	if j.tty == nil || j.logs != nil || len(argv) == 0 {
		return false
	}
	name := strings.TrimPrefix(filepath.Base(argv[0]), "-")
	if !slices.Contains([]string{"sh", "bash", "zsh", "fish", "dash", "ksh", "mksh", "tcsh", "csh", "ash", "yash"}, name) {
		return false
	}
	for _, arg := range argv[1:] {
		if !strings.HasPrefix(arg, "-") || arg == "-c" {
			return false // a script, or a command
		}
	}
	return true
}

// hangup is what the holder does when it is asked to go itself: the job must not
// be lost without a word.
func (j *job) hangup(sig syscall.Signal) {
	j.insist(engine.StopOptions{By: proc.SignalName(sig) + " to the holder", Reason: engine.ReasonKill})
}

// insistPause is how long a kill that failed is left alone.
const insistPause = time.Second

// insist kills where nobody would ask again: a holder that is short of descriptors or
// memory cannot find out who is to go, and may a little later.
func (j *job) insist(o engine.StopOptions) {
	for {
		_, err := j.end(j.ctx, o)
		f, failed := errors.AsType[*holder.Failure](err)
		if err == nil || failed && f.Code == holder.CodeEnded {
			return
		}
		select {
		case <-time.After(insistPause):
		case <-j.ctx.Done():
			return
		}
	}
}
