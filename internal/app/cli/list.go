package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/app/within"
	"github.com/hobjobs/hob/internal/units"
)

type listFlags struct {
	running, finished, failed, here, quiet, all bool

	since   string
	on, dir string
}

func (a *app) listCommand() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls", "ps"},
		GroupID: groupInspect,
		Short:   "List jobs and what they are doing",
		Long: "List jobs. The table on a terminal begins with the jobs that need you. Its column ID shows the\n" +
			"letters at the end of each ID, which every command accepts. Earlier runs of restarted jobs\n" +
			"and older ended jobs that do not fit on the screen are left out; --all shows them. Other\n" +
			"output has all jobs, newest first. With --json, ports, cpu_percent (the average since the\n" +
			"start) and rss_bytes are set for running jobs of this machine and, with --on, of a host\n" +
			"with hob-holder, else null.\n\n" +
			"Jobs on hosts are shown as last known, without connecting. --on HOST connects to the host and\n" +
			"lists all of its jobs, including those started from other machines.",
		Example: "hob list --running\nhob list --failed --since 1h -q\nhob list --on web1\nhob list --dir . --running",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.list(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.all, "all", "a", false, "show all jobs, including earlier runs of restarted ones")
	flags.BoolVar(&f.running, "running", false, "only jobs that have not ended")
	flags.BoolVar(&f.finished, "finished", false, "only jobs that have ended")
	flags.BoolVar(&f.failed, "failed", false, "only failed jobs (not ones you stopped)")
	flags.Var(nonEmptyFlag(&f.on, "HOST"), "on", "only jobs on HOST (connects to it)")
	dirFlag(cmd, &f.dir, "only jobs started in DIR or below")
	flags.BoolVar(&f.here, "here", false, "only jobs of this machine")
	flags.Var(textFlag(&f.since, "TIME"), "since", "only jobs started since: 2h, 7d or a time")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print only IDs")
	completeFlag(cmd, "on", a.completeHosts())
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) list(ctx context.Context, f listFlags) error {
	now := time.Now()
	since, err := sinceTime(f.since, now)
	if err != nil {
		return err
	}
	var unreachable error
	if f.on != "" {
		if f.here {
			return usagef("use one of them", "--here cannot be combined with --on")
		}
		if unreachable, err = a.adopt(ctx, f.on); err != nil {
			return err
		}
	}
	jobs, err := a.eng.List(ctx, engine.Filter{
		Running:  f.running,
		Finished: f.finished,
		Failed:   f.failed,
		Here:     f.here,
		Host:     f.on,
		Since:    since,
	})
	if err != nil {
		return err
	}
	jobs = within.Dir(jobs, f.dir)
	if f.on != "" && unreachable == nil {
		unreachable = linkErrorOf(jobs)
	}
	err = a.printList(jobs, f, now)
	forUser := !a.json && !f.quiet
	if forUser && isTerminal(a.stderr) {
		reportReboot(ctx, a, jobs)
	}
	return a.knownOnly(unreachable, err)
}

func (a *app) printList(jobs []engine.Job, f listFlags, now time.Time) error {
	switch {
	case a.json:
		jobs = a.eng.MeasureAll(jobs)
		for i := range jobs {
			jobs[i].Program = jobs[i].Program.Brief()
		}
		return a.printJobs(jobs)
	case f.quiet:
		return printLines(a, idsOf(jobs))
	case len(jobs) == 0 && isTerminal(a.stdout):
		a.reportf("No jobs. hob run -b CMD starts one.")
		return nil
	case isTerminal(a.stdout):
		return a.listTable(jobs, f.all, now)
	}
	return a.listPlain(jobs, now)
}

// adopt creates the missing records of jobs on host if it answers in time; otherwise
// unreachable is the reason.
func (a *app) adopt(ctx context.Context, host string) (unreachable, err error) {
	soon, cancel := context.WithTimeout(ssh.WithInteraction(ctx, false), hostTimeout)
	defer cancel()
	err = a.eng.Adopt(soon, host)
	if errors.Is(err, engine.ErrUnreachable) && ctx.Err() == nil {
		return err, nil
	}
	return nil, err
}

// linkErrorOf is why the host of jobs was lost while it was asked about them; nil if it
// was not.
func linkErrorOf(jobs []engine.Job) error {
	for _, j := range jobs {
		if j.Link == engine.LinkUnreachable && j.Host != "" {
			return &ssh.HostError{Host: j.Host, Err: errors.New(j.LinkReason())}
		}
	}
	return nil
}

// knownOnly ends a list, printed with the error err, of jobs on a host that could not be
// asked because of unreachable: standard output has what was last known of them.
func (a *app) knownOnly(unreachable, err error) error {
	if unreachable == nil || err != nil {
		return err
	}
	f := explain(unreachable)
	a.reportf("hob: %s; the jobs are as last known", escape(f.Error()))
	if f.hint != "" {
		a.reportf("     %s", escape(f.hint))
	}
	return exitStatus(f.exit)
}

// plainStatus is the status of a job in a list that is not on a terminal: its end, or its current status,
// unreachable if that is not known.
func plainStatus(j engine.Job) string {
	if j.Link == engine.LinkUnreachable && !j.Status.Finished() {
		return string(engine.LinkUnreachable)
	}
	return string(j.Status)
}

// listPlain is the list for a program: id, status, end (code, signal or a dash),
// time and name, aligned; only the name holds blanks.
func (a *app) listPlain(jobs []engine.Job, now time.Time) error {
	ids, words := 0, len(engine.Starting)
	for _, j := range jobs {
		ids, words = max(ids, len(j.ID)), max(words, len(plainStatus(j)))
	}
	colored := a.colored(a.stdout)
	lines := make([]string, len(jobs))
	for i, j := range jobs {
		status := paint(colored, fmt.Sprintf("%-*s", words, plainStatus(j)), styleOf(j))
		lines[i] = fmt.Sprintf("%-*s  %s  %-7s  %7s  %s", ids, j.ID, status, endWord(j), units.FormatDuration(j.Uptime(now)), escape(j.Name))
	}
	return printLines(a, lines)
}
