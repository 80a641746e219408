package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

type waitFlags struct {
	until        []engine.Condition // in the order in which they were given; none: the end
	fromNow, any bool
	timeout      time.Duration
}

func (a *app) waitCommand() *cobra.Command {
	f := waitFlags{timeout: notGiven}
	cmd := &cobra.Command{
		Use:     "wait ID…",
		GroupID: groupInteract,
		Short:   "Wait for jobs to exit, or for output, a port or silence",
		Long: "Wait until all jobs have ended, and exit with the first exit code that is not 0, in\n" +
			"the order given. With --for, --for-port, --for-status or --quiet, wait until the\n" +
			"condition holds for all jobs, and fail if a job ends first. If you give several\n" +
			"conditions, one of them is enough. With --any, wait for only one of the jobs, the first\n" +
			"that ends or meets a condition.\n\n" +
			"With several conditions, or with --any and several jobs, hob prints a line for each job:\n" +
			"its ID, the flag whose condition holds, and the matching line, port, status or duration.\n" +
			"Without conditions, the line has \"end\" and how the job ended.\n\n" +
			"--for-status waits for a status that the program itself reports: idle, working, done,\n" +
			"blocked (it needs you) or error. docs/program-status.md describes which programs do.",
		Example: "hob wait build test\nhob wait --for '\\bready in\\b' --timeout 1m web\nhob wait --for-port 5173 web\n" +
			"hob wait --for-status done,blocked --quiet 10m agent\nhob wait --any build test",
		Args:              argCount(1, -1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.wait(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.Var(f.conditionFlag("REGEX", waitForLine), "for", "until a line matches this regular expression")
	flags.BoolVar(&f.fromNow, "from-now", false, "with --for: ignore lines that are already in the log")
	flags.Var(f.conditionFlag("N", waitForPort), "for-port", "until the job listens on this port")
	flags.Var(f.conditionFlag("DUR", waitForQuiet), "quiet", "until it has printed nothing for this long")
	flags.Var(f.conditionFlag("STATE,…", waitForStatus), "for-status", "until its program reports one of these states: done, blocked, …")
	flags.BoolVar(&f.any, "any", false, "wait for only one of the jobs")
	flags.Var(durationFlag(&f.timeout), "timeout", "give up after this long")
	a.jsonFlag(cmd)
	return cmd
}

// conditionFlag is a flag that adds a condition each time that it is given. It implements [pflag.Value].
type conditionFlag struct {
	to    *[]engine.Condition
	kind  string // placeholder of the value in help
	parse func(string) (engine.Condition, error)
}

func (f *waitFlags) conditionFlag(kind string, parse func(string) (engine.Condition, error)) conditionFlag {
	return conditionFlag{&f.until, kind, parse}
}

func (f conditionFlag) Set(s string) error {
	c, err := f.parse(s)
	if err == nil {
		*f.to = append(*f.to, c)
	}
	return err
}

func (conditionFlag) String() string { return "" } // there is no default
func (f conditionFlag) Type() string { return f.kind }

// GetSlice makes completion offer the flag again.
func (conditionFlag) GetSlice() []string { return nil }

func waitForLine(s string) (engine.Condition, error) {
	if _, err := notEmpty(s); err != nil {
		return engine.Condition{}, err
	}
	line, err := regexp.Compile(s)
	if err != nil {
		err = fmt.Errorf(`%w; escape special characters with \`, err)
	}
	return engine.Condition{Line: line}, err
}

func waitForPort(s string) (engine.Condition, error) {
	port, err := units.ParsePort(s)
	return engine.Condition{Port: port}, err
}

func waitForQuiet(s string) (engine.Condition, error) {
	d, err := units.ParseDuration(s)
	if err == nil && d == 0 {
		err = errors.New("it must be longer than 0")
	}
	return engine.Condition{Quiet: d}, err
}

func waitForStatus(s string) (engine.Condition, error) {
	says, err := engine.ParseProgramStates(s)
	return engine.Condition{Says: says}, err
}

// conditions returns the conditions with what holds for all of them.
func (f waitFlags) conditions() ([]engine.Condition, error) {
	lines := 0
	for i := range f.until {
		c := &f.until[i]
		if c.Line != nil {
			lines++
			c.FromNow = f.fromNow
		}
	}
	if f.fromNow && lines == 0 {
		return nil, usagef("Usage: hob wait --for REGEX --from-now ID", "--from-now requires --for")
	}
	return f.until, nil
}

func (a *app) wait(ctx context.Context, refs []string, f waitFlags) error {
	until, err := f.conditions()
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
	w := &waiting{
		app:   a,
		jobs:  jobs,
		until: until,
		any:   f.any,
	}
	stopNotifying := notifyWhile(ctx, a, engine.Filter{IDs: idsOf(jobs)}, jobs...)
	err = w.all(ctx)
	stopNotifying()
	if errors.Is(err, context.DeadlineExceeded) {
		return a.waitTimedOut(ctx, jobs, f.timeout)
	}
	if err != nil {
		return waitFailed(err)
	}
	if a.json || w.choice() || w.code == exitHob {
		w.jobs = a.refresh(context.WithoutCancel(ctx), jobs...)
	}
	if err := w.print(); err != nil {
		return hobFailed(err)
	}
	if w.code == exitHob {
		a.reportLost(w.jobs)
	}
	if w.code != 0 {
		return exitStatus(w.code)
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

// waitTimedOut returns the failure of a wait that was limited to d.
func (a *app) waitTimedOut(ctx context.Context, jobs []engine.Job, d time.Duration) error {
	still := "jobs have not ended"
	if len(jobs) == 1 {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		switch now := a.refresh(soon, jobs...)[0]; {
		case now.Status == engine.Queued:
			still = "the job is still queued"
		case now.Status.Finished():
			still = "the job has ended meanwhile"
		default:
			still = "the job is still running"
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
