package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/units"
)

type killFlags struct {
	grace       time.Duration
	signal      string
	keepDaemons bool
}

func (a *app) killCommand() *cobra.Command {
	f := killFlags{grace: notGiven}
	cmd := &cobra.Command{
		Use:     "kill ID…",
		Aliases: []string{"stop"},
		GroupID: groupEnd,
		Short:   "Ends jobs with everything they started",
		Long: "Asks the whole tree to end (SIGTERM) and kills what is left after the grace time.\n" +
			"Returns when the tree is gone. Without ID, on a terminal, you choose.",
		Example:           "hob kill @\nhob stop --grace 30s web worker\nhob kill --signal HUP web",
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.kill(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.Var(durationFlag(&f.grace), "grace", "time before what is left is killed (5s; 0s: at once)")
	flags.VarP(parseInto(&f.signal, "NAME", parseSignal), "signal", "s", "only send this signal: HUP, INT, USR1 …")
	flags.BoolVar(&f.keepDaemons, "keep-daemons", false, "spare what left the job's session")
	completeWords(cmd, "signal", "HUP", "INT", "QUIT", "TERM", "KILL", "USR1", "USR2", "STOP", "CONT", "WINCH")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) kill(ctx context.Context, refs []string, f killFlags) error {
	if f.signal != "" && (f.grace != notGiven || f.keepDaemons) {
		return usagef("leave them away", "--signal just sends it: --grace and --keep-daemons do not apply")
	}
	var jobs []engine.Job
	var err error
	if len(refs) > 0 {
		jobs, err = a.manyJobs(ctx, refs, engine.Act)
	} else {
		var job engine.Job
		job, err = a.oneJob(ctx, nil, engine.Act, engine.Filter{Running: true}, "Kill which job?")
		jobs = []engine.Job{job}
	}
	if err != nil {
		return err
	}
	if f.signal != "" {
		if err := checkSignal(f.signal, jobs); err != nil {
			return err
		}
		for _, j := range jobs {
			if e := a.eng.Signal(ctx, j.ID, f.signal); e != nil {
				err = errors.Join(err, e)
			}
		}
	} else {
		err = a.stopAll(ctx, jobs, f)
	}
	if err != nil || !a.json {
		return err
	}
	return a.printJobs(a.again(ctx, jobs))
}

// stopAll stops the jobs side by side, so that their grace times do not add up,
// and reports in the order given.
func (a *app) stopAll(ctx context.Context, jobs []engine.Job, f killFlags) error {
	o := engine.StopOptions{KeepDaemons: f.keepDaemons, By: "cli"}
	if f.grace != notGiven {
		o.Grace = f.grace
		if o.Grace == 0 {
			o.Grace = -1
		}
	}
	reports := make([]engine.StopReport, len(jobs))
	errs := make([]error, len(jobs))
	var work sync.WaitGroup
	for i, j := range jobs {
		work.Go(func() { reports[i], errs[i] = a.eng.Stop(ctx, j.ID, o) })
	}
	work.Wait()
	for i, j := range jobs {
		if errs[i] == nil {
			a.reportStopped(j, reports[i])
		}
	}
	return errors.Join(errs...)
}

// reportStopped prints what ending a job took.
func (a *app) reportStopped(j engine.Job, r engine.StopReport) {
	how := "ended"
	switch {
	case r.Escalated:
		how = "killed (SIGKILL was needed)"
	case r.Took == 0 && len(r.Survivors) == 0:
		how = "had ended"
	}
	took := ""
	if r.Took > 0 {
		took = " after " + briefly(r.Took)
	}
	a.reportf("%s %s%s", j.ID, how, took)
	a.reportSurvivors(r.Survivors)
}

// reportSurvivors names what is left of a job's tree.
func (a *app) reportSurvivors(left []engine.Process) {
	for _, p := range left {
		a.reportf("  still there: %d %s", p.PID, escape(p.Command))
	}
}

// briefly is a duration with the precision that waiting for it has.
func briefly(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return units.FormatDuration(d)
}

// checkSignal refuses what is no signal here if one of the jobs is here, also one that
// would not get it any more. Which names there are on a host, that host knows.
func checkSignal(name string, jobs []engine.Job) error {
	for _, j := range jobs {
		if j.Host != "" {
			continue
		}
		if _, err := proc.ParseSignal(name); err != nil {
			return usagef("hob help kill shows the flags", "%w", err)
		}
	}
	return nil
}

// parseSignal makes a signal's full name: HUP and sighup are SIGHUP; numbers stay.
func parseSignal(s string) (string, error) {
	if strings.TrimSpace(s) == "" { // an unset variable must not turn into a kill
		return "", errors.New("no signal; use a name such as TERM or a number")
	}
	s = strings.ToUpper(s)
	if !strings.HasPrefix(s, "SIG") && strings.Trim(s, "0123456789") != "" {
		s = "SIG" + s
	}
	return s, nil
}
