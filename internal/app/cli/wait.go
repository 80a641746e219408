package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

type waitFlags struct {
	line           string
	fromNow, any   bool
	port           int
	quiet, timeout time.Duration
	says           []engine.ProgramState
}

func (a *app) waitCommand() *cobra.Command {
	f := waitFlags{quiet: notGiven, timeout: notGiven}
	cmd := &cobra.Command{
		Use:     "wait ID…",
		GroupID: groupInteract,
		Short:   "Wait for jobs to exit, or for output, a port or silence",
		Long: "Wait until all jobs have ended, and exit with the first exit code that is not 0, in\n" +
			"the order given. With --for, --for-port, --for-status or --quiet, wait until the\n" +
			"condition holds for all jobs; it fails if a job ends first. --any exits with the code\n" +
			"of whichever job ends first.\n\n" +
			"--for-status waits for what a program says of itself: idle, working, done, blocked\n" +
			"(it needs you) or error. Not all programs do, see docs/program-status.md.",
		Example:           "hob wait build test\nhob wait --for '\\bready in\\b' --timeout 1m web\nhob wait --for-port 5173 web",
		Args:              argCount(1, -1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.wait(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.Var(nonEmptyFlag(&f.line, "REGEX"), "for", "until a line matches this regular expression")
	flags.BoolVar(&f.fromNow, "from-now", false, "with --for: ignore lines that are already in the log")
	flags.Var(parseInto(&f.port, "N", units.ParsePort), "for-port", "until the job listens on this port")
	flags.Var(durationFlag(&f.quiet), "quiet", "until it has printed nothing for this long")
	flags.Var(parseInto(&f.says, "STATE,…", engine.ParseProgramStates), "for-status", "until its program reports one of these states: done, blocked, …")
	flags.BoolVar(&f.any, "any", false, "wait for only one of the jobs")
	flags.Var(durationFlag(&f.timeout), "timeout", "give up after this long")
	a.jsonFlag(cmd)
	return cmd
}

// forEnd reports whether to wait for the jobs' ends.
func (f waitFlags) forEnd() bool { return f.conditions() == 0 }

// conditions is how many conditions were given.
func (f waitFlags) conditions() (n int) {
	for _, given := range []bool{f.line != "", f.port != 0, f.quiet != notGiven, len(f.says) > 0} {
		if given {
			n++
		}
	}
	return n
}

func (f waitFlags) condition() (engine.Condition, error) {
	switch {
	case f.conditions() > 1:
		return engine.Condition{}, usagef("run hob wait twice", "--for, --for-port, --for-status and --quiet cannot be combined")
	case f.fromNow && f.line == "":
		return engine.Condition{}, usagef("Usage: hob wait --for REGEX --from-now ID", "--from-now requires --for")
	case f.quiet == 0:
		return engine.Condition{}, usagef("for example --quiet 5s", "--quiet must be longer than 0")
	}
	line, err := pattern("--for", f.line)
	return engine.Condition{
		Line:    line,
		FromNow: f.fromNow,
		Port:    f.port,
		Quiet:   max(f.quiet, 0),
		Says:    f.says,
	}, err
}

func (a *app) wait(ctx context.Context, refs []string, f waitFlags) error {
	until, err := f.condition()
	if err != nil {
		return err
	}
	lookup := ctx
	if f.timeout != notGiven {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	if f.timeout != 0 { // with 0, the jobs are looked at once
		lookup = ctx
	}
	jobs, err := a.manyJobs(lookup, refs, engine.Read)
	switch {
	case lookup.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		return timedOut(f.timeout, "the job's state was not known by then")
	case err != nil:
		return err
	}
	var code int
	if over, ok := firstEnded(jobs); ok && f.any && f.forEnd() {
		code = over // several may have ended: take them in order, not at random
	} else {
		code, err = a.waitAll(ctx, jobs, until, f.any)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return a.waitTimedOut(ctx, jobs, f.timeout)
	}
	if err != nil {
		return waitFailed(err)
	}
	if a.json {
		if err := a.printJobs(a.refresh(context.WithoutCancel(ctx), jobs...)); err != nil {
			return hobFailed(err)
		}
	}
	if code == exitHob {
		a.reportLost(a.refresh(context.WithoutCancel(ctx), jobs...))
	}
	if code != 0 {
		return exitStatus(code)
	}
	return nil
}

// reportLost names the jobs whose end is unknown, because their exit code is also one
// that a job may return.
func (a *app) reportLost(jobs []engine.Job) {
	for _, j := range jobs {
		if j.Status == engine.Lost {
			a.reportf("hob: %s is lost (%s); its exit code is unknown", j.ID, j.Exit.Reason)
		}
	}
}

// waitFailed keeps the exit codes of conditions that can no longer hold. Any other error
// of waiting is hob's own failure, which must not be mistaken for a job's exit code.
func waitFailed(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return hobFailed(err)
}

// firstEnded returns the exit code of the first job in the list that has ended.
func firstEnded(jobs []engine.Job) (code int, ok bool) {
	for _, j := range jobs {
		if exit, ended := j.Ended(); ended {
			return ownCode(exit), true
		}
	}
	return 0, false
}

// waitAll waits for all jobs concurrently and returns the first exit code in their order
// that is not 0. With any it returns the code of whichever is done first.
func (a *app) waitAll(ctx context.Context, jobs []engine.Job, until engine.Condition, any bool) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	codes, errs := make([]int, len(jobs)), make([]error, len(jobs))
	done := make(chan int, len(jobs)) // the codes in the order in which the jobs are done
	var work sync.WaitGroup
	for i, j := range jobs {
		work.Go(func() {
			codes[i], errs[i] = a.waitOne(ctx, j, until)
			if errs[i] == nil {
				done <- codes[i]
			}
			if any == (errs[i] == nil) {
				cancel() // nothing changes the result any more
			}
		})
	}
	work.Wait()
	if any && len(done) > 0 {
		return <-done, nil
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return 0, err
		}
	}
	return cmp.Or(codes...), nil
}

// waitOne waits for one job and returns its exit code if that is the condition. It reports
// an end that cannot be recorded, because other clients do not see it.
func (a *app) waitOne(ctx context.Context, job engine.Job, until engine.Condition) (code int, err error) {
	out, err := a.waitFor(ctx, job, until)
	if why, ok := errors.AsType[*engine.Error](err); ok && errors.Is(err, engine.ErrUnrecorded) {
		a.reportf("hob: %s has ended but is still recorded as running: %v", job.ID, why.Err)
		err = nil
	}
	switch {
	case until.Port != 0 && errors.Is(err, engine.ErrUnsupported):
		return 0, &failure{
			exit: exitFailed,
			code: "unsupported",
			err:  fmt.Errorf("%s runs on host %s, where hob cannot check ports", job.ID, job.Host),
			hint: "wait for a line of output instead: hob wait --for REGEX " + string(job.ID),
		}
	case err != nil:
		return 0, noLog(job, err)
	case until.Line != nil && !out.Met:
		return 0, endedBefore(job, fmt.Sprintf("a line matched %q", until.Line))
	case until.Port != 0 && !out.Met:
		return 0, endedBefore(job, fmt.Sprintf("it listened on port %d", until.Port))
	case len(until.Says) > 0 && !out.Met:
		return 0, endedBefore(job, "its program reported that status")
	case until.Line != nil, until.Port != 0, until.Quiet > 0, len(until.Says) > 0:
		return 0, nil
	}
	return ownCode(out.Exit), nil
}

// waitFor waits for the condition. While it waits for the end of a job on a host, it says when the host is lost:
// without that, it would wait in silence for something that the user may have to do.
func (a *app) waitFor(ctx context.Context, job engine.Job, until engine.Condition) (engine.Outcome, error) {
	h := a.eng.Handle(job.ID)
	forEnd := until.Line == nil && until.Port == 0 && until.Quiet == 0
	if job.Host == "" || !forEnd || len(until.Says) > 0 {
		return h.WaitFor(ctx, until)
	}
	out, err := h.WaitFor(ctx, engine.Condition{Look: a.news(func(engine.Job) error { return nil })})
	if errors.Is(err, engine.ErrNotFound) { // it may have been cleared; its end is known
		return h.WaitFor(ctx, until)
	}
	return out, err
}

// waitTimedOut returns the failure of a wait that was limited to d.
func (a *app) waitTimedOut(ctx context.Context, jobs []engine.Job, d time.Duration) error {
	still := "jobs have not ended"
	if len(jobs) == 1 {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		still = "the job is still running"
		if a.refresh(soon, jobs...)[0].Status == engine.Queued {
			still = "the job is still queued"
		}
	}
	return timedOut(d, still)
}

func timedOut(d time.Duration, still string) error {
	return &failure{
		exit: exitTimeout,
		code: "timeout",
		err:  fmt.Errorf("timed out after %s; %s", units.DurationText(d), still),
	}
}

// endedBefore returns the failure of a condition that can no longer hold.
func endedBefore(job engine.Job, what string) error {
	return &failure{
		exit: exitFailed,
		code: "ended",
		err:  fmt.Errorf("%s ended before %s", job.ID, what),
		hint: "Its output: hob log " + string(job.ID),
	}
}
