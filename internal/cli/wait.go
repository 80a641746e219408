package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

type waitFlags struct {
	line           givenFlag
	fromNow, any   bool
	port           portFlag
	quiet, timeout durationFlag
}

func (a *app) waitCommand() *cobra.Command {
	var f waitFlags
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
	flags.Var(&f.line, "for", "until a line matches this regular expression")
	flags.BoolVar(&f.fromNow, "from-now", false, "with --for: only lines that come from now on")
	flags.Var(&f.port, "for-port", "until the job listens on this port")
	flags.Var(&f.quiet, "quiet", "until it has printed nothing for that long")
	flags.BoolVar(&f.any, "any", false, "one of the jobs is enough")
	flags.Var(&f.timeout, "timeout", "give up after that long")
	a.jsonFlag(cmd)
	return cmd
}

// waiter waits for one thing about a job. The exit code is what wait ends with
// for it.
type waiter func(ctx context.Context, eng *engine.Engine, job engine.Job) (code int, err error)

func (a *app) wait(ctx context.Context, refs []string, f waitFlags) error {
	w, err := f.waiter(a.sayf)
	if err != nil {
		return err
	}
	jobs, err := a.manyJobs(ctx, refs, engine.Read)
	if err != nil {
		return err
	}
	if f.timeout.set {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout.d)
		defer cancel()
	}
	var code int
	if over, ok := firstEnded(jobs); ok && f.any && f.forEnd() {
		code = over // whoever of several is asked first is chance
	} else {
		code, err = waitAll(ctx, a.eng, jobs, w, f.any)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		f := &failure{exit: exitTimeout, code: "timeout", err: fmt.Errorf("still waiting after %s", units.DurationText(f.timeout.d))}
		f.hint = "the jobs go on"
		return f
	}
	if err != nil {
		return waitFailed(err)
	}
	if a.json {
		if err := a.printJobs(again(context.WithoutCancel(ctx), a.eng, jobs)); err != nil {
			return hobFailed(err)
		}
	}
	if code == exitHob {
		a.sayLost(again(context.WithoutCancel(ctx), a.eng, jobs))
	}
	if code != 0 {
		return exitStatus(code)
	}
	return nil
}

// sayLost says which of the jobs ended without anybody knowing how: the code for
// that is one that a job may have too.
func (a *app) sayLost(jobs []engine.Job) {
	for _, j := range jobs {
		if j.Status == engine.Lost {
			a.sayf("hob: %s is %s: how it ended is not known", j.ID, inWords(j))
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
func (f waitFlags) forEnd() bool { return f.line == "" && f.port == 0 && !f.quiet.set }

// waiter is the condition that the flags ask for.
func (f waitFlags) waiter(say func(format string, args ...any)) (waiter, error) {
	asked := 0
	for _, on := range []bool{f.line != "", f.port != 0, f.quiet.set} {
		if on {
			asked++
		}
	}
	switch {
	case asked > 1:
		return nil, usagef("run two waits, one after the other", "--for, --for-port and --quiet exclude each other")
	case f.fromNow && f.line == "":
		return nil, usagef("hob wait --for RE --from-now ID", "--from-now belongs to --for")
	case f.quiet.set && f.quiet.d <= 0:
		return nil, usagef("for example --quiet 5s", "--quiet needs a time")
	case f.line != "":
		re, err := pattern("--for", string(f.line))
		if err != nil {
			return nil, err
		}
		return waitForLine(re, f.fromNow), nil
	case f.port != 0:
		return waitForPort(int(f.port)), nil
	case f.quiet.set:
		return waitForQuiet(f.quiet.d), nil
	}
	return waitForEnd(say), nil
}

// waitAll waits for all jobs side by side, or for any of them, and returns the
// first code in their order that is not 0; with any, the code of the first that
// came.
func waitAll(ctx context.Context, eng *engine.Engine, jobs []engine.Job, w waiter, any bool) (int, error) {
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
			code, err := w(ctx, eng, j)
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

// waitForEnd waits for the end, and says so if only its holder will ever know of it.
func waitForEnd(say func(format string, args ...any)) waiter {
	return func(ctx context.Context, eng *engine.Engine, job engine.Job) (int, error) {
		exit, err := eng.Wait(ctx, job.ID)
		if why, ok := errors.AsType[*engine.Error](err); ok && errors.Is(err, engine.ErrUnrecorded) {
			say("hob: %s has ended, and still counts as running: %v", job.ID, why.Err)
			err = nil
		}
		if err != nil {
			return 0, err
		}
		return ownCode(exit), nil
	}
}

// endedBefore is the failure of a condition that can no longer come true.
func endedBefore(job engine.Job, what string) error {
	return &failure{
		exit: exitFailed, code: "ended", err: fmt.Errorf("%s ended before %s", job.ID, what),
		hint: "hob log " + string(job.ID) + " shows what it printed",
	}
}

// waitForLine waits until a line of any stream of the job matches, the last one
// before its end is written too.
func waitForLine(re *regexp.Regexp, fromNow bool) waiter {
	return func(ctx context.Context, eng *engine.Engine, job engine.Job) (int, error) {
		var feeds []*lineFeed
		for _, s := range streamsOf(job) {
			log, err := eng.OpenLog(ctx, job.ID, s)
			if err != nil {
				return 0, noLog(job, err)
			}
			defer log.Close()
			feed := &lineFeed{log: log}
			feeds = append(feeds, feed)
			if fromNow {
				feed.next, err = log.Size(ctx)
			} else {
				err = feed.catchUp(ctx, re)
			}
			if errors.Is(err, errEnough) {
				return 0, nil
			}
			if err != nil {
				return 0, err
			}
		}
		_, err := follow(ctx, eng, job, func(ended bool) error {
			for _, feed := range feeds {
				if err := feed.find(ctx, re, ended); err != nil {
					return err
				}
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		return 0, endedBefore(job, fmt.Sprintf("a line matched %q", re))
	}
}

// streamsOf are the logs that a job has.
func streamsOf(job engine.Job) []engine.Stream {
	if job.Split {
		return []engine.Stream{engine.StreamStdout, engine.StreamStderr}
	}
	return []engine.Stream{engine.StreamOutput}
}

// waitForQuiet waits until the job's output has not grown for d. A job that ends
// is quiet.
func waitForQuiet(d time.Duration) waiter {
	return func(ctx context.Context, eng *engine.Engine, job engine.Job) (int, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		quiet := time.AfterFunc(d, cancel)
		defer quiet.Stop()
		reached := int64(-1)
		_, err := follow(ctx, eng, job, func(ended bool) error {
			now, err := eng.GetWithTrash(ctx, job.ID)
			if err != nil && !ended {
				return err
			}
			if now.Output != reached {
				reached = now.Output
				quiet.Reset(d)
			}
			return nil
		})
		if errors.Is(err, context.Canceled) && ctx.Err() != nil && !quiet.Stop() {
			return 0, nil
		}
		return 0, err
	}
}
