package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	dir         string
}

func (a *app) killCommand() *cobra.Command {
	f := killFlags{grace: notGiven}
	cmd := &cobra.Command{
		Use:     "kill [ID… | --dir DIR]",
		Aliases: []string{"stop"},
		GroupID: groupStop,
		Short:   "Stop jobs and all their processes",
		Long: "Send SIGTERM, or the signal of hob run --stop-signal, to the whole process tree, then\n" +
			"SIGKILL after the grace period. Returns when all processes have exited. Without ID, choose\n" +
			"a job from a list. --dir stops all running jobs that were started in a directory, for\n" +
			"example before you delete it; the directory of a job on a host is the one there.",
		Example:           "hob kill @\nhob stop --grace 30s web worker\nhob kill --signal HUP web\nhob kill --dir ~/src/shop",
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.kill(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.Var(durationFlag(&f.grace), "grace", "time before SIGKILL (default 5s; 0s: at once)")
	flags.VarP(parseInto(&f.signal, "NAME", parseSignal), "signal", "s", "only send this signal: HUP, INT, USR1 …")
	dirFlag(cmd, &f.dir, "all running jobs started in DIR or below")
	flags.BoolVar(&f.keepDaemons, "keep-daemons", false, "leave daemonized processes running")
	completeValues(cmd, "signal", "HUP", "INT", "QUIT", "TERM", "KILL", "USR1", "USR2", "STOP", "CONT", "WINCH")
	a.jsonFlag(cmd)
	return cmd
}

// parseSignal returns the full name of a signal, SIGHUP for HUP or sighup. Numbers are
// returned as they are.
func parseSignal(s string) (string, error) {
	if strings.TrimSpace(s) == "" { // an unset variable must not turn into a kill
		return "", errors.New("the signal is empty; use a name such as TERM or a number")
	}
	s = strings.ToUpper(s)
	if !strings.HasPrefix(s, "SIG") && strings.Trim(s, "0123456789") != "" {
		s = "SIG" + s
	}
	return s, nil
}

func (a *app) kill(ctx context.Context, refs []string, f killFlags) error {
	if f.signal != "" && (f.grace != notGiven || f.keepDaemons) {
		return usagef("remove --signal, or the others", "--signal cannot be combined with --grace or --keep-daemons")
	}
	jobs, err := a.toKill(ctx, refs, f)
	if err != nil {
		return err
	}
	if f.signal != "" {
		if err := checkSignal(f.signal, jobs); err != nil {
			return err
		}
		for _, j := range jobs {
			err = errors.Join(err, hasEnded(j, a.eng.Handle(j.ID).Signal(ctx, f.signal)))
		}
	} else {
		err = a.stopAll(ctx, jobs, f)
	}
	return a.printChanged(ctx, jobs, err)
}

func (a *app) toKill(ctx context.Context, refs []string, f killFlags) ([]engine.Job, error) {
	switch {
	case f.dir != "" && len(refs) > 0:
		return nil, dirWithIDs()
	case f.dir != "":
		jobs, err := a.jobsInDir(ctx, f.dir, engine.Filter{Running: true})
		if err == nil && len(jobs) == 0 {
			a.reportf("Nothing to stop")
		}
		return jobs, err
	case len(refs) > 0:
		return a.manyJobs(ctx, refs, engine.Act)
	}
	job, err := a.oneJob(ctx, nil, engine.Act, engine.Filter{Running: true}, "Kill which job?")
	return []engine.Job{job}, err
}

// stopAll stops the jobs together, so that their grace periods do not add up, and reports the results
// in the order given.
func (a *app) stopAll(ctx context.Context, jobs []engine.Job, f killFlags) error {
	o := engine.StopOptions{KeepDaemons: f.keepDaemons, By: "cli"}
	if f.grace != notGiven {
		o.Grace = f.grace
		if o.Grace == 0 {
			o.Grace = engine.KillNow
		}
	}
	reports, errs := make([]engine.StopReport, len(jobs)), make([]error, len(jobs))
	a.eng.StopAll(ctx, jobs, o, func(i int, r engine.StopReport, err error) { reports[i], errs[i] = r, err })
	for i, j := range jobs {
		if errs[i] = hasEnded(j, errs[i]); errs[i] == nil {
			errs[i] = a.reportStopped(j, reports[i])
		}
	}
	return errors.Join(errs...)
}

// reportStopped reports how a job was stopped. The error is that of notEnded.
func (a *app) reportStopped(j engine.Job, r engine.StopReport) error {
	if err := notEnded(a, j, r); err != nil {
		a.reportSurvivors(r.Survivors)
		return err
	}
	switch took := units.FormatTook(r.Took); {
	case r.Escalated:
		a.reportf("Killed %s (SIGKILL after %s)", j.ID, took)
	case r.Took == 0 && len(r.Survivors) == 0:
		a.reportf("%s had already exited", j.ID)
	default:
		a.reportf("Stopped %s (%s)", j.ID, took)
	}
	a.reportSurvivors(r.Survivors)
	return nil
}

// notEnded returns an error if a job that was stopped has not ended.
func notEnded(a *app, j engine.Job, r engine.StopReport) error {
	if len(r.Survivors) == 0 || a.refresh(context.Background(), j)[0].Status.Finished() {
		return nil
	}
	return &failure{
		exit: exitFailed,
		code: "failed",
		err:  fmt.Errorf("%s has not ended: SIGKILL was sent and has not ended its processes", j.ID),
		hint: "They wait in the kernel, for example for a disk or a network that does not answer, or belong to another user",
	}
}

// reportSurvivors lists the processes that a job left running.
func (a *app) reportSurvivors(left []engine.Process) {
	for _, p := range left {
		a.reportf("  still running: %d %s", p.PID, escape(p.Command))
	}
}

// checkSignal refuses an unknown signal if one of the jobs is on this machine, even if that
// job has ended. The signals of a host are checked there.
func checkSignal(name string, jobs []engine.Job) error {
	for _, j := range jobs {
		if j.Host != "" {
			continue
		}
		if _, err := proc.ParseSignal(name); err != nil {
			return usagef("See: hob help kill", "%w", err)
		}
	}
	return nil
}
