//go:build linux || darwin

package localjob

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/shellrun"
	"github.com/hobjobs/hob/internal/units"
)

// beside runs a shell command in the job's directory and environment, until it has ended or ctx is done. It
// is no process of the job: a stop does not signal it, and it is not left over.
func (j *job) beside(ctx context.Context, script string, out *os.File) error {
	cmd := j.besideCommand(ctx, script)
	if out != nil {
		cmd.Stdout, cmd.Stderr = out, out
	}
	if err := j.startBeside(cmd); err != nil {
		return err
	}
	defer j.reaper.Forget(cmd.Process.Pid)
	return cmd.Wait()
}

func (j *job) besideCommand(ctx context.Context, script string) *exec.Cmd {
	cmd := shellrun.Command(ctx, script)
	cmd.Dir = j.meta.Dir
	cmd.Env = jobEnviron(j.cfg.Env, j.cfg.Set, string(j.meta.ID), j.meta.Dir, false)
	if pid := j.leader(); pid > 0 {
		cmd.Env = append(cmd.Env, "HOB_JOB_PID="+strconv.Itoa(pid))
	}
	return cmd
}

// startBeside starts cmd, which the caller waits for and forgets then.
func (j *job) startBeside(cmd *exec.Cmd) error {
	return j.reaper.Start(func() (int, error) {
		j.mu.Lock()
		defer j.mu.Unlock()
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		j.addOtherLocked(cmd.Process.Pid)
		return cmd.Process.Pid, nil
	})
}

// addOtherLocked notes that a child of the holder is not a process of the job. j.mu is held.
func (j *job) addOtherLocked(pid int) {
	j.others = slices.DeleteFunc(j.others, func(id proc.Identity) bool { return !proc.Alive(id) })
	if id, err := proc.IdentityOf(pid); err == nil { // it has not ended yet
		j.others = append(j.others, id)
	}
}

// runBegins notes that a run of the command has begun.
func (j *job) runBegins() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ran = make(chan struct{})
}

// runOver notes that the command has ended.
func (j *job) runOver() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ran != nil {
		close(j.ran)
		j.ran = nil
	}
}

// askToEnd records that the job is being stopped, and runs its stop command. It returns when the command
// has failed, when the run has ended, or after the grace time; the caller signals what is left then.
func (j *job) askToEnd(ctx context.Context, o record.StopOptions, grace time.Duration) {
	j.mu.Lock()
	ran, first := j.ran, j.stops == 1
	j.mu.Unlock()
	now := time.Now()
	stop := record.StopRequest{
		By:       o.By,
		Reason:   o.Reason,
		At:       now,
		Deadline: now.Add(grace),
	}
	runsCommand := j.meta.StopCommand != "" && grace > 0
	if !runsCommand || !first || ran == nil { // a second request does not wait
		j.h.Stopping(&stop)
		return
	}
	stop.Deadline = now.Add(2 * grace)
	j.h.Stopping(&stop)
	j.runStopCommand(ctx, grace, ran)
}

// runStopCommand runs the stop command. It returns when that has failed, when ran is closed because the run has
// ended, or after the grace time.
func (j *job) runStopCommand(ctx context.Context, grace time.Duration, ran <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	out := j.ownOutput()
	if out != nil {
		defer out.Close()
	}
	err := j.beside(ctx, j.meta.StopCommand, out)
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("it has not ended after %s", units.DurationText(grace))
	}
	if err != nil {
		j.note("[hob: the stop command failed: " + errorText(err) + "; the job gets the stop signal]")
		return
	}
	select {
	case <-ran:
	case <-ctx.Done():
	}
}

// note adds a line of hob's own to the output. It does not write to the terminal, which may be stopped by Ctrl+S.
func (j *job) note(line string) {
	if j.logs != nil {
		j.logs.appendLine(line)
		j.h.Grew()
		return
	}
	j.h.Output([]byte(line + "\r\n"))
}

// ownOutput opens the job's terminal, or its log without one, for text that is not the job's; nil if that
// is not possible.
func (j *job) ownOutput() *os.File {
	path := ""
	switch {
	case j.logs != nil:
		path = j.logs.stderr().Name()
	case j.tty != nil:
		path = j.tty.name
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return f
}
