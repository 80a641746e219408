//go:build linux || darwin

package localjob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/proc"
)

// patientPause is the retry pause, after about a second in total, at which waiting for a disk ends.
const patientPause = 500 * time.Millisecond

// hooks returns the hooks through which clients control the job.
func (j *job) hooks() holder.Hooks {
	hooks := holder.Hooks{
		Signal:         j.signal,
		Stop:           j.end,
		ProgramChanged: j.programChanged,
		Backgrounded:   func() { j.prompt.active() },
		Input: func(ctx context.Context, p []byte) error {
			j.interrupt(p)
			return j.typed(func() error { return j.in.write(ctx, p) })
		},
		CloseInput: func(ctx context.Context) error { return j.typed(func() error { return j.in.end(ctx) }) },
	}
	if j.tty != nil {
		hooks.Resize, hooks.Group = j.tty.resize, j.foreground
	}
	return hooks
}

// typed types into the job, which may then wait for input no longer.
func (j *job) typed(do func() error) error {
	if j.in == nil {
		return record.ErrNoInput
	}
	defer j.prompt.active()
	return do()
}

func ended() error {
	return &holder.Failure{Code: holder.CodeEnded, Message: "the job has ended"}
}

// signal sends one signal to the foreground process group and the leader's group.
func (j *job) signal(_ context.Context, name, by string) error {
	sig, err := proc.ParseSignal(name)
	if err != nil {
		return &holder.Failure{Code: holder.CodeInvalid, Message: err.Error()}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.pid == 0, j.final:
		return ended()
	case j.reaped && asksToEnd(sig):
		j.stopBetweenRunsLocked(by)
		return nil
	case j.reaped:
		return &holder.Failure{Code: holder.CodeInvalid, Message: "the job is between two runs of its command"}
	}
	if j.kept != nil && asksToEnd(sig) {
		j.kept.interrupted.Store(true) // also if SIGCONT follows
	}
	// The leader is not reaped yet, so its pid, and its group, cannot be reused.
	groups := []int{j.pid}
	if j.tty != nil {
		switch fg := j.foreground(); fg {
		case 0, j.pid, unix.Getpgrp(): // none, the leader's, and the holder's own
		default:
			groups = append(groups, fg)
		}
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

// foreground returns the foreground process group of the job's terminal, or 0.
func (j *job) foreground() (group int) {
	_ = j.tty.control(func(fd int) error { // without a terminal there is none
		var err error
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	if group <= 1 {
		return 0
	}
	return group
}

// groupEnded reports whether a process group has no processes any more.
func groupEnded(group int) bool { return errors.Is(unix.Kill(-group, 0), unix.ESRCH) }

// asksToEnd reports whether users and other programs end a program with sig.
func asksToEnd(sig unix.Signal) bool {
	switch sig {
	case unix.SIGINT, unix.SIGTERM, unix.SIGQUIT, unix.SIGKILL:
		return true
	default:
		return false
	}
}

// end ends the whole tree and returns when it is gone and the end is recorded.
func (j *job) end(ctx context.Context, o record.StopOptions) (report record.StopReport, err error) {
	began := time.Now()
	grace := max(0, cmp.Or(o.Grace, j.grace()))
	if proc.StopSignal(j.meta.StopSignal) == syscall.SIGKILL {
		grace = 0
	}
	j.mu.Lock()
	if j.pid == 0 || j.gone {
		j.mu.Unlock()
		return report, ended()
	}
	j.kills.Add(1)
	defer j.kills.Done()
	over := j.final
	if !over {
		j.stops++
		if j.asked == nil {
			j.asked = &o
		}
		j.kept.decide()
		defer func() {
			j.mu.Lock()
			j.stops--
			j.mu.Unlock()
		}()
	}
	j.mu.Unlock()
	if over {
		if left := j.survivors(); len(left) == 0 {
			if err := j.waitRecorded(ctx); err != nil {
				return report, err
			}
			return report, ended()
		}
	} else {
		j.askToEnd(ctx, o, grace)
	}
	opt := proc.Options{
		Signal:      proc.StopSignal(j.meta.StopSignal),
		Grace:       grace,
		HUP:         j.interactiveShell(),
		KeepDaemons: o.KeepDaemons,
		OnKill:      func() { j.forced.Store(true) },
	}
	defer j.forced.Store(false)
	if j.reaps {
		opt.Gone = func() bool { return !haveChildren() }
	}
	res, err := proc.Terminate(ctx, j.remains(), opt)
	report = record.StopReport{
		Took:      time.Since(began),
		Escalated: res.Escalated,
		Survivors: holder.Describe(res.Survivors),
	}
	if err != nil {
		if !over {
			j.revertStop(&o, len(res.Signaled) > 0)
		}
		return report, err
	}
	if !over && slices.ContainsFunc(res.Survivors, func(p proc.Process) bool { return p.PID == j.leader() }) {
		return report, nil // stuck in the kernel: its end is reported later
	}
	if err := j.waitRecorded(ctx); err != nil {
		return report, err
	}
	if o.KeepDaemons {
		report.Survivors = j.survivors() // including processes that were spared
	}
	j.h.Survivors(report.Survivors)
	return report, nil
}

// revertStop withdraws a request that could not be carried out: the job continues. If touched is
// set, some process was signaled nevertheless, so the job may still end because of it.
func (j *job) revertStop(o *record.StopOptions, touched bool) {
	j.mu.Lock()
	others := j.stops > 1
	if j.asked == o && !touched && !others {
		j.asked = nil
	}
	j.mu.Unlock()
	if !others {
		j.h.Stopping(nil)
	}
}

// waitRecorded waits until the end is recorded, so that the caller can read it. If the disk cannot
// be written to, it returns after about a second; if the disk hangs, after a few.
func (j *job) waitRecorded(ctx context.Context) error {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		select {
		case <-j.ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		if err := cmp.Or(j.h.Unrecorded(), j.h.WaitsForDisk()); err != nil && pause >= patientPause {
			return &holder.Failure{Code: holder.CodeFailed, Message: fmt.Sprintf("it has ended, but the end cannot be recorded: %v", err)}
		}
	}
}

// usesTerminal reports whether the job's output goes to its terminal. With logs of its own, a terminal
// is only its input.
func (j *job) usesTerminal() bool { return j.tty != nil && j.logs == nil }

// interactiveShell reports whether the job is a shell at a prompt, which ignores SIGTERM but not
// SIGHUP.
func (j *job) interactiveShell() bool {
	argv := j.meta.Command
	if !j.usesTerminal() || len(argv) == 0 {
		return false
	}
	name := strings.TrimPrefix(filepath.Base(argv[0]), "-")
	if !slices.Contains([]string{"sh", "bash", "zsh", "fish", "dash", "ksh", "mksh", "tcsh", "csh", "ash", "yash"}, name) {
		return false
	}
	for _, arg := range argv[1:] {
		if !strings.HasPrefix(arg, "-") || arg == "-c" {
			return false // a script or a command
		}
	}
	return true
}

// hangup handles a request to terminate the holder: it ends the job, so that the end is recorded.
func (j *job) hangup(sig syscall.Signal) {
	j.killWithRetry(record.StopOptions{By: proc.SignalName(sig) + " to the holder", Reason: record.ReasonKill})
}

// killRetry is the pause before a failed kill is retried.
const killRetry = time.Second

// killWithRetry ends the job where no client would repeat the request: a holder that is short of
// file descriptors or memory cannot find the job's processes now, but may be able to later.
func (j *job) killWithRetry(o record.StopOptions) {
	for {
		_, err := j.end(j.ctx, o)
		if err == nil || errors.Is(err, &holder.Failure{Code: holder.CodeEnded}) {
			return
		}
		select {
		case <-time.After(killRetry):
		case <-j.ctx.Done():
			return
		}
	}
}
