package cli

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

type listFlags struct {
	running, finished, failed, here, quiet bool
	since                                  string
	on                                     string
}

func (a *app) listCommand() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		GroupID: groupJobs,
		Short:   "Lists jobs, newest first",
		Long: "Lists jobs, newest first. Those on hosts are as last known here, and no host is\n" +
			"asked, unless --on names one: then all jobs that it keeps are listed, also those\n" +
			"that were started from other machines. With --json, of jobs that run on this machine ports,\n" +
			"cpu_percent (the average since the start) and rss_bytes are told where the system\n" +
			"has them; of all others they are null.",
		Example:           "hob list --running\nhob list --failed --since 1h -q\nhob list --on web1",
		Args:              words(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.list(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.running, "running", false, "only jobs that have not ended")
	flags.BoolVar(&f.finished, "finished", false, "only jobs that have ended")
	flags.BoolVar(&f.failed, "failed", false, "only jobs that failed without anybody asking for it")
	flags.Var(wordFlag(&f.on), "on", "only jobs on this host, which is asked how they stand")
	flags.BoolVar(&f.here, "here", false, "only jobs of this machine")
	flags.StringVar(&f.since, "since", "", "only jobs started since then: 2h, 7d or a time")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print ids alone")
	a.completeHosts(cmd, "on")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) list(ctx context.Context, f listFlags) error {
	now := time.Now()
	since, err := sinceTime(f.since, now)
	if err != nil {
		return err
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	var unreachable error
	if f.on != "" {
		if f.here {
			return usagef("choose one", "--here excludes --on")
		}
		if unreachable, err = a.adopt(ctx, f.on); err != nil {
			return err
		}
	}
	jobs, err := eng.List(ctx, engine.Filter{
		Running: f.running, Finished: f.finished, Failed: f.failed, Here: f.here, Host: f.on, Since: since,
	})
	if err != nil {
		return err
	}
	if f.on != "" && unreachable == nil {
		unreachable = linkErrorOf(jobs)
	}
	return a.knownOnly(unreachable, a.printList(jobs, f.quiet, now))
}

func (a *app) printList(jobs []engine.Job, quiet bool, now time.Time) error {
	switch {
	case a.json:
		return a.printJobs(a.eng.MeasureAll(jobs))
	case quiet:
		return a.printLines(len(jobs), func(i int) string { return string(jobs[i].ID) })
	case len(jobs) == 0 && isTerminal(a.stdout):
		a.reportf("No jobs. hob run -b CMD starts one.")
		return nil
	case isTerminal(a.stdout):
		return a.listTable(jobs, now)
	}
	return a.listPlain(jobs, now)
}

// adopt makes records of the jobs that host keeps and that there are none of here, if
// it answers in time; unreachable is why it does not.
func (a *app) adopt(ctx context.Context, host string) (unreachable, err error) {
	soon, cancel := context.WithTimeout(ssh.WithInteraction(ctx, false), patience)
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
			return &ssh.HostError{Host: j.Host, Err: errors.New(strings.TrimPrefix(j.LinkError, j.Host+": "))}
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

// The columns of the table on a terminal.
const (
	columnID = iota
	columnStatus
	columnTime
	columnHost
	columnName
)

// listTable is the list for a person.
func (a *app) listTable(jobs []engine.Job, now time.Time) error {
	var t table
	t.add(cell{text: "ID", style: styleDim}, cell{text: "STATUS", style: styleDim},
		cell{text: "TIME", style: styleDim, right: true}, cell{text: "HOST", style: styleDim}, cell{text: "NAME", style: styleDim})
	remote, badges := false, a.badges(now)
	for _, j := range jobs {
		glyph, word, st := badges.of(j)
		if j.Link == engine.LinkUnreachable || j.Link == engine.LinkElsewhere {
			word += " (" + string(j.Link) + ")"
		} else if !j.StaleSince.IsZero() {
			word += " (last known)"
		}
		if len(j.Exit.Survivors) > 0 {
			word += " +" + plural(len(j.Exit.Survivors), "survivor", "survivors")
		}
		remote = remote || j.Host != ""
		t.add(cell{text: string(j.ID)}, cell{text: glyph + " " + word, style: st},
			cell{text: units.FormatDuration(j.Uptime(now)), right: true}, cell{text: escape(j.Host)}, cell{text: escape(j.Name)})
	}
	drop := []int{columnTime, columnName}
	if !remote {
		for i := range t.rows {
			t.rows[i] = append(t.rows[i][:columnHost], t.rows[i][columnName])
		}
		drop = []int{columnTime, columnHost}
	}
	lines := t.lines(terminalSize(a.stdout).Cols, len(t.rows[0])-1, drop, a.colored(a.stdout))
	return a.printLines(len(lines), func(i int) string { return lines[i] })
}

// listPlain is the list for a program: id, status, end (code, signal or a dash),
// time and name, aligned; only the name holds blanks.
func (a *app) listPlain(jobs []engine.Job, now time.Time) error {
	ids := 0
	for _, j := range jobs {
		ids = max(ids, len(j.ID))
	}
	colored := a.colored(a.stdout)
	return a.printLines(len(jobs), func(i int) string {
		j := jobs[i]
		status := padRight(string(j.Status), 8)
		if colored {
			status = paint(true, status, styleOf(statusbadge.StateOf(j)))
		}
		return padRight(string(j.ID), ids) + "  " + status + "  " + padRight(endWord(j), 7) + "  " +
			padLeft(units.FormatDuration(j.Uptime(now)), 7) + "  " + escape(j.Name)
	})
}

// padRight and padLeft fill ASCII text up to n columns.
func padRight(s string, n int) string { return s + strings.Repeat(" ", max(n-len(s), 0)) }
func padLeft(s string, n int) string  { return strings.Repeat(" ", max(n-len(s), 0)) + s }

// printLines writes n lines of data.
func (a *app) printLines(n int, line func(int) string) error {
	w := bufio.NewWriter(a.stdout)
	for i := range n {
		w.WriteString(line(i))
		w.WriteByte('\n')
	}
	return w.Flush()
}
