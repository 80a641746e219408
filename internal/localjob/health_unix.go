//go:build linux || darwin

package localjob

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/httpget"
	"github.com/hobjobs/hob/internal/notifyevent"
	"github.com/hobjobs/hob/internal/shellrun"
	"github.com/hobjobs/hob/internal/units"
)

// healthChecks are the checks of one run of a job. One goroutine carries them out and owns the fields but
// cancel and done.
type healthChecks struct {
	job    *job
	check  record.HealthCheck
	cancel context.CancelFunc
	done   chan struct{}

	succeeded int // in a row
	state     record.Health
}

// startHealth starts the checks of a run that has just begun.
func (j *job) startHealth() {
	j.checks = nil
	if j.meta.HealthCheck.Check == "" || !j.own {
		return
	}
	ctx, cancel := context.WithCancel(j.ctx)
	c := &healthChecks{job: j, check: j.meta.HealthCheck, cancel: cancel, done: make(chan struct{})}
	c.check.Every = cmp.Or(c.check.Every, record.InMilliseconds(record.HealthEvery))
	c.check.Timeout = cmp.Or(c.check.Timeout, record.InMilliseconds(record.HealthTimeout))
	c.check.Failures = cmp.Or(c.check.Failures, record.HealthFailures)
	c.check.Successes = cmp.Or(c.check.Successes, 1)
	c.set(record.HealthUnknown)
	j.checks = c
	go func() {
		defer close(c.done)
		c.run(ctx)
	}()
}

// stop ends the checks and waits until none runs. The checks of no run are nil.
func (c *healthChecks) stop() {
	if c == nil {
		return
	}
	c.cancel()
	<-c.done
}

func (c *healthChecks) run(ctx context.Context) {
	pause := c.check.Delay.Duration()
	for sleep(ctx, pause) {
		pause = c.check.Every.Duration()
		if c.job.h.State().Paused { // it cannot answer
			continue
		}
		err := c.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if c.judge(err) && c.job.endUnhealthyRun(c.state.Output) {
			return
		}
	}
}

// judge counts the result of a check, and reports whether the job is unhealthy.
func (c *healthChecks) judge(err error) bool {
	if err == nil {
		c.succeeded++
		c.state.Failures = 0
	} else {
		c.succeeded = 0
		c.state.Failures++
		c.state.Output = oneLine(err.Error())
	}
	switch {
	case c.succeeded >= c.check.Successes:
		c.state.Output = ""
		c.set(record.Healthy)
	case c.state.Failures >= c.check.Failures:
		c.set(record.Unhealthy)
	default:
		c.set(c.state.State)
	}
	return c.state.State == record.Unhealthy
}

// set records a state, which may be the same as before.
func (c *healthChecks) set(s record.HealthState) {
	begins := c.state.State != s
	c.state.State, c.state.Since = s, time.Now()
	c.job.h.Health(c.state)
	if begins && s == record.Unhealthy {
		c.job.report(notifyevent.Unhealthy)
	}
}

// once makes one check, and returns why it failed.
func (c *healthChecks) once(ctx context.Context) error {
	limit := c.check.Timeout.Duration()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := c.ask(limited)
	if err != nil && limited.Err() != nil {
		return errors.New("no answer after " + units.DurationText(limit))
	}
	return err
}

func (c *healthChecks) ask(ctx context.Context) error {
	port, isPort := strings.CutPrefix(c.check.Check, ":")
	url, isURL := c.check.URL()
	switch {
	case isPort:
		url = "http://localhost:" + port
	case !isURL:
		return c.job.runCheck(ctx, c.check.Check)
	}
	target, err := httpget.Parse(url)
	if err != nil {
		return err
	}
	if isURL {
		return target.Check(ctx, c.check.Code)
	}
	conn, err := target.Dial(ctx)
	if err != nil {
		return err
	}
	return conn.Close()
}

// runCheck runs the command of a check. The error has the last line that it printed.
func (j *job) runCheck(ctx context.Context, script string) error {
	cmd := j.besideCommand(ctx, script)
	var out shellrun.Tail
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := j.startBeside(cmd); err != nil {
		return err
	}
	defer j.reaper.Forget(cmd.Process.Pid)
	err := cmd.Wait()
	if line := out.LastLine(); err != nil && line != "" {
		err = errors.New(line + " (" + errorText(err) + ")")
	}
	return err
}

// maxReason is the maximum length of a reason, in characters.
const maxReason = 200

// oneLine returns text as a short line without control characters.
func oneLine(text string) string {
	runes := []rune(strings.ToValidUTF8(strings.TrimSpace(text), "?"))
	for i, r := range runes {
		if unicode.IsControl(r) {
			runes[i] = ' '
		}
	}
	return string(runes[:min(len(runes), maxReason)])
}

// endUnhealthyRun ends the current run of an unhealthy job, if its restart policy then starts the command again. It
// reports whether it did so.
func (j *job) endUnhealthyRun(why string) bool {
	unhealthy := record.Exit{Status: record.Killed, Reason: record.ReasonUnhealthy}
	if j.kept == nil || !j.kept.policy.Restarts(unhealthy, j.kept.count) {
		return false
	}
	j.mu.Lock()
	if j.asked == nil {
		j.unhealthyWhy = cmp.Or(why, "its check failed")
	}
	asked, ran := j.asked != nil, j.ran
	j.mu.Unlock()
	if asked {
		return true
	}
	if j.meta.StopCommand != "" && ran != nil {
		j.runStopCommand(j.ctx, j.grace(), ran)
	}
	j.endRun() // the end of the leader is recorded by others
	return true
}
