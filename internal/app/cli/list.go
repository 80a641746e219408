package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
		Short:   "List jobs, newest first",
		Long: "List jobs, newest first. Jobs on hosts are shown as last known, without connecting.\n" +
			"--on HOST connects to the host and lists all of its jobs, including those started\n" +
			"from other machines. The table on a terminal leaves out the earlier runs of restarted\n" +
			"jobs, unless --all is given; other output always includes them. With --json, ports, cpu_percent (the average since the start)\n" +
			"and rss_bytes are set for jobs that run on this machine, else null.",
		Example: "hob list --running\nhob list --failed --since 1h -q\nhob list --on web1\nhob list --dir . --running",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.list(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.all, "all", "a", false, "show earlier runs of restarted jobs, too")
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
		Running: f.running, Finished: f.finished, Failed: f.failed, Here: f.here, Host: f.on, Since: since,
	})
	if err != nil {
		return err
	}
	jobs = within.Dir(jobs, f.dir)
	if f.on != "" && unreachable == nil {
		unreachable = linkErrorOf(jobs)
	}
	return a.knownOnly(unreachable, a.printList(jobs, f, now))
}

func (a *app) printList(jobs []engine.Job, f listFlags, now time.Time) error {
	switch {
	case a.json:
		return a.printJobs(a.eng.MeasureAll(jobs))
	case f.quiet:
		return printLines(a, idsOf(jobs))
	case len(jobs) == 0 && isTerminal(a.stdout):
		a.reportf("No jobs. hob run -b CMD starts one.")
		return nil
	case isTerminal(a.stdout) && !f.all:
		return a.listNewestRuns(jobs, now)
	case isTerminal(a.stdout):
		return a.listTable(jobs, now)
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

// listNewestRuns is listTable without the jobs that have ended and were restarted.
func (a *app) listNewestRuns(jobs []engine.Job, now time.Time) error {
	restarted := map[engine.ID]bool{}
	for _, j := range jobs {
		restarted[j.RestartedFrom] = true
	}
	all := len(jobs)
	jobs = slices.DeleteFunc(jobs, func(j engine.Job) bool {
		return restarted[j.ID] && j.Status.Finished() && len(j.Exit.Survivors) == 0
	})
	err := a.listTable(jobs, now)
	if n := all - len(jobs); n > 0 && err == nil {
		a.reportf("%s not shown; to see all: hob list -a", units.Count(n, "earlier run"))
	}
	return err
}

// listTable is the list for a person.
func (a *app) listTable(jobs []engine.Job, now time.Time) error {
	t := newTable("ID", "STATUS", ">TIME", ">ENDED", "HOST", "NAME")
	remote, badges := false, a.badges(now)
	for _, j := range jobs {
		glyph, word, st := badges.of(j)
		if j.Link == engine.LinkUnreachable || j.Link == engine.LinkElsewhere {
			word += " (" + string(j.Link) + ")"
		} else if !j.StaleSince.IsZero() {
			word += " (last known)"
		}
		if reason := j.WaitReason(now); j.Status == engine.Queued && reason != "" {
			word += ": " + escape(reason)
		}
		if len(j.Exit.Survivors) > 0 {
			word += " +" + units.Count(len(j.Exit.Survivors), "survivor")
		}
		ended := ""
		if exit, ok := j.Ended(); ok && !exit.At.IsZero() {
			ended = units.FormatAgo(j.EndedAgo(now))
		}
		remote = remote || j.Host != ""
		t.add(cell{text: string(j.ID)}, cell{text: glyph + " " + word, style: st},
			cell{text: units.FormatDuration(j.Uptime(now)), right: true}, cell{text: ended, right: true},
			cell{text: escape(j.Host)}, cell{text: escape(j.Name)})
	}
	drop := []string{"TIME", "ENDED", "NAME"}
	if !remote {
		t.hide("HOST")
	}
	return printLines(a, t.lines(terminalSize(a.stdout).Cols, drop, a.colored(a.stdout)))
}

// listPlain is the list for a program: id, status, end (code, signal or a dash),
// time and name, aligned; only the name holds blanks.
func (a *app) listPlain(jobs []engine.Job, now time.Time) error {
	ids := 0
	for _, j := range jobs {
		ids = max(ids, len(j.ID))
	}
	colored := a.colored(a.stdout)
	lines := make([]string, len(jobs))
	for i, j := range jobs {
		status := paint(colored, fmt.Sprintf("%-8s", j.Status), styleOf(j))
		lines[i] = fmt.Sprintf("%-*s  %s  %-7s  %7s  %s", ids, j.ID, status, endWord(j), units.FormatDuration(j.Uptime(now)), escape(j.Name))
	}
	return printLines(a, lines)
}
