package project

import (
	"slices"
	"strconv"
	"strings"
)

// elevate makes a process run with more rights, as process-compose does it. The program may ask for a password in the
// terminal of the job.
func (c *compose) elevate(proc *Process) {
	with := slices.DeleteFunc(slices.Clone(c.elevated), func(s string) bool { return s == "" })
	if proc.Script == "" {
		proc.Command = append(with, proc.Command...)
		return
	}
	proc.Script = strings.Join(with, " ") + " " + proc.Script
}

// successCodes returns the exit codes that count as 0.
func (c *compose) successCodes(f *fields) (codes []int) {
	for _, text := range f.texts("success_exit_codes") {
		code, err := strconv.Atoi(text)
		if err != nil || code < 0 || code > 255 {
			c.p.fail(f.line("success_exit_codes"), "%s: exit codes are numbers from 0 to 255", f.path("success_exit_codes"))
			return nil
		}
		codes = append(codes, code)
	}
	return codes
}

// isScheduled reports whether process-compose starts a process at certain times only. hob does not.
func (c *compose) isScheduled(f *fields) bool {
	times := f.object("schedule")
	atTimes := times.get("cron") != nil || times.get("interval") != nil
	if !atTimes {
		return false
	}
	if times.truth("run_on_start") {
		c.p.note(times.v.line, "%s is not supported; hob starts the process once", f.path("schedule"))
		return false
	}
	c.p.note(times.v.line, "%s is not supported; hob starts the process on request only", f.path("schedule"))
	return true
}
