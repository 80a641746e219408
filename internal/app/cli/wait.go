package cli

import (
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
}

func (a *app) waitCommand() *cobra.Command {
	f := waitFlags{quiet: notGiven, timeout: notGiven}
	cmd := &cobra.Command{
		Use:     "wait ID…",
		GroupID: groupTalk,
		Short:   "Waits until jobs end, or say or do something",
		Long: "Waits until all jobs have ended and ends with the code of the first, in the order\n" +
			"given, that is not 0. With --for, --for-port or --quiet it waits until that holds\n" +
			"for all of them; a job that ends before is a failure. --any ends with the code of the\n" +
			"first that came, of those that had ended the first named. --timeout ends it with 124.",
		Example:           "hob wait build test\nhob wait --for 'ready in' --timeout 1m web\nhob wait --for-port 5173 web",
		Args:              words(1, -1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.wait(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.Var(wordFlag(&f.line), "for", "until a line matches this regular expression")
	flags.BoolVar(&f.fromNow, "from-now", false, "with --for: only lines that come from now on")
	flags.Var(parseInto(&f.port, "N", parsePort), "for-port", "until the job listens on this port")
	flags.Var(durationFlag(&f.quiet), "quiet", "until it has printed nothing for that long")
	flags.BoolVar(&f.any, "any", false, "one of the jobs is enough")
	flags.Var(durationFlag(&f.timeout), "timeout", "give up after that long")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) wait(ctx context.Context, refs []string, f waitFlags) error {
	until, err := f.condition()
	if err != nil {
		return err
	}
	jobs, err := a.manyJobs(ctx, refs, engine.Read)
	if err != nil {
		return err
	}
	if f.timeout != notGiven {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	var code int
	if over, ok := firstEnded(jobs); ok && f.any && f.forEnd() {
		code = over // which of them would answer first is chance
	} else {
		code, err = a.waitAll(ctx, jobs, until, f.any)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		f := &failure{exit: exitTimeout, code: "timeout", err: fmt.Errorf("still waiting after %s", units.DurationText(f.timeout))}
		f.hint = "the jobs go on"
		return f
	}
	if err != nil {
		return waitFailed(err)
	}
	if a.json {
		if err := a.printJobs(a.again(context.WithoutCancel(ctx), jobs)); err != nil {
			return hobFailed(err)
		}
	}
	if code == exitHob {
		a.reportLost(a.again(context.WithoutCancel(ctx), jobs))
	}
	if code != 0 {
		return exitStatus(code)
	}
	return nil
}

// reportLost prints which of the jobs ended in an unknown way: the code for
// that is one that a job may have too.
func (a *app) reportLost(jobs []engine.Job) {
	for _, j := range jobs {
		if j.Status == engine.Lost {
			a.reportf("hob: %s is lost (%s): how it ended is not known", j.ID, j.Exit.Reason)
		}
	}
}

// waitFailed keeps the codes of conditions that did not come true; anything else
// that goes wrong while the jobs are waited for is hob's own failure, which must
// not be mistaken for a code of theirs.
func waitFailed(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return hobFailed(err)
}

// firstEnded is the code of the first of the jobs that has ended.
func firstEnded(jobs []engine.Job) (code int, ok bool) {
	for _, j := range jobs {
		if exit, ended := j.Ended(); ended {
			return ownCode(exit), true
		}
	}
	return 0, false
}

// forEnd reports whether the jobs' ends are waited for.
func (f waitFlags) forEnd() bool { return f.line == "" && f.port == 0 && f.quiet == notGiven }

// condition is what the flags ask for.
func (f waitFlags) condition() (engine.Condition, error) {
	asked := 0
	for _, on := range []bool{f.line != "", f.port != 0, f.quiet != notGiven} {
		if on {
			asked++
		}
	}
	switch {
	case asked > 1:
		return engine.Condition{}, usagef("run two waits, one after the other", "--for, --for-port and --quiet exclude each other")
	case f.fromNow && f.line == "":
		return engine.Condition{}, usagef("hob wait --for RE --from-now ID", "--from-now belongs to --for")
	case f.quiet == 0:
		return engine.Condition{}, usagef("for example --quiet 5s", "--quiet needs a time")
	}
	line, err := pattern("--for", f.line)
	return engine.Condition{Line: line, FromNow: f.fromNow, Port: f.port, Quiet: max(f.quiet, 0)}, err
}

// waitAll waits for all jobs side by side, or for any of them, and returns the
// first code in their order that is not 0; with any, the code of the first that
// came.
func (a *app) waitAll(ctx context.Context, jobs []engine.Job, until engine.Condition, any bool) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		index, code int
		err         error
	}
	answers := make(chan answer, len(jobs))
	var work sync.WaitGroup
	for i, j := range jobs {
		work.Go(func() {
			code, err := a.waitOne(ctx, j, until)
			answers <- answer{i, code, err}
		})
	}
	defer work.Wait()
	defer cancel()
	codes, errs := make([]int, len(jobs)), make([]error, len(jobs))
	for range jobs {
		got := <-answers
		if any && got.err == nil {
			return got.code, nil
		}
		codes[got.index], errs[got.index] = got.code, got.err
		if got.err != nil && !any {
			cancel() // what is wrong will not become right by waiting for the others
		}
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return 0, err
		}
	}
	for _, code := range codes {
		if code != 0 {
			return code, nil
		}
	}
	return 0, nil
}

// waitOne waits for one job and returns the code of its end, if that is waited for. An
// end that cannot be recorded is reported: others do not see it.
func (a *app) waitOne(ctx context.Context, job engine.Job, until engine.Condition) (code int, err error) {
	out, err := a.eng.WaitFor(ctx, job.ID, until)
	if why, ok := errors.AsType[*engine.Error](err); ok && errors.Is(err, engine.ErrUnrecorded) {
		a.reportf("hob: %s has ended, and still counts as running: %v", job.ID, why.Err)
		err = nil
	}
	switch {
	case until.Port != 0 && errors.Is(err, engine.ErrUnsupported):
		return 0, &failure{
			exit: exitFailed, code: "unsupported", err: fmt.Errorf("%s runs on %s, whose ports are not known here", job.ID, job.Host),
			hint: "hob wait --for RE waits for a line that it prints",
		}
	case err != nil:
		return 0, noLog(job, err)
	case until.Line != nil && !out.Met:
		return 0, endedBefore(job, fmt.Sprintf("a line matched %q", until.Line))
	case until.Port != 0 && !out.Met:
		return 0, endedBefore(job, fmt.Sprintf("it listened on port %d", until.Port))
	case until == engine.Condition{}:
		return ownCode(out.Exit), nil
	}
	return 0, nil
}

// endedBefore is the failure of a condition that can no longer come true.
func endedBefore(job engine.Job, what string) error {
	return &failure{
		exit: exitFailed, code: "ended", err: fmt.Errorf("%s ended before %s", job.ID, what),
		hint: "hob log " + string(job.ID) + " shows what it printed",
	}
}
