package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/project"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/internal/spelling"
	"github.com/hobjobs/hob/internal/units"
)

// refError returns the error for a reference that matches no job or several: it says what to type. Other
// errors are returned unchanged.
func (a *app) refError(ctx context.Context, ref string, err error) error {
	several, ambiguous := errors.AsType[*engine.AmbiguousError](err)
	switch {
	case ambiguous && needsRunning(a.command) && allEnded(several.Candidates):
		return endedAll(ref, several.Candidates, time.Now())
	case errors.Is(err, engine.ErrNotFound):
		return noSuchJob(ctx, a.eng, a.command, ref)
	}
	return err
}

// needsRunning reports whether a command acts on jobs that have not ended.
func needsRunning(command string) bool {
	return slices.Contains([]string{"attach", "kill", "write"}, command)
}

// allEnded reports whether nothing is left to act on.
func allEnded(jobs []engine.Job) bool {
	return !slices.ContainsFunc(jobs, func(j engine.Job) bool { return !j.Status.Finished() || j.LeftRunning() })
}

// endedAll returns the error for a name whose jobs have all ended; the newest is the one that was meant.
func endedAll(ref string, jobs []engine.Job, now time.Time) error {
	newest := slices.MaxFunc(jobs, func(x, y engine.Job) int { return x.CreatedAt.Compare(y.CreatedAt) })
	return &failure{
		exit: exitState,
		code: "not_running",
		err:  fmt.Errorf("all %d jobs %q have ended; the newest is %s, %s: %s", len(jobs), ref, newest.ID, age(newest, now), newest.Ending()),
		hint: fmt.Sprintf("Its output: hob log %s · Run it again: hob restart %[1]s", newest.ID),
	}
}

// hasEnded replaces err if the cause is that the job has ended: the new error says how and when.
func hasEnded(job engine.Job, err error) error {
	if !job.Status.Finished() || !errors.Is(err, engine.ErrNotRunning) {
		return err
	}
	return &failure{
		exit: exitState,
		code: "not_running",
		err:  fmt.Errorf("%s has already ended, %s: %s", job.ID, age(job, time.Now()), job.Ending()),
		hint: fmt.Sprintf("Its output: hob log %s · Run it again: hob restart %[1]s", job.ID),
	}
}

// noSuchJob returns the error for a reference that no job matches.
func noSuchJob(ctx context.Context, eng *engine.Engine, command, ref string) error {
	f := &failure{
		exit: exitNoJob,
		code: "not_found",
		err:  fmt.Errorf("no job matches %q", ref),
		hint: "See: hob list",
	}
	if ref == "all" {
		f.hint = allHint(command)
		return f
	}
	jobs, err := eng.List(ctx, engine.Filter{})
	if err != nil {
		return f
	}
	if pid, err := strconv.Atoi(ref); err == nil {
		f.hint = pidHint(jobs, pid, command)
		return f
	}
	var names []string
	for _, j := range jobs {
		names = append(names, j.Name)
	}
	if near := spelling.Nearest(ref, names); near != "" {
		f.hint = "Did you mean " + shellword.Quote(near) + "? " + f.hint
	}
	return f
}

// noGroup returns the error for the name of a group that no job has.
func noGroup(ctx context.Context, eng *engine.Engine, group string) error {
	f := &failure{
		exit: exitNoJob,
		code: "not_found",
		err:  fmt.Errorf("no such group: %q", group),
		hint: "See: hob list",
	}
	groups, err := project.Groups(ctx, eng)
	if err != nil {
		return err
	}
	switch near := spelling.Nearest(group, groups); {
	case near != "":
		f.hint = "Did you mean " + shellword.Quote(near) + "?"
	case len(groups) > 0:
		f.hint = "Groups: " + strings.Join(groups, ", ")
	}
	return f
}

// allHint returns how to apply a command to all jobs.
func allHint(command string) string {
	switch command {
	case "kill", "wait":
		return "for all running jobs: hob " + command + " $(hob list --running -q)"
	case "clear":
		return "for all jobs that have ended: hob clear --finished"
	case "remove":
		return "for all jobs that have ended: hob clear --finished; for running jobs: hob remove $(hob list --running -q)"
	case "hob", "status":
		return "for all jobs: hob list"
	}
	return "hob " + command + " takes one job. See: hob list"
}

// pidHint returns which job a process ID belongs to. hob does not accept it as a reference, because another
// process may have that ID by now.
func pidHint(jobs []engine.Job, pid int, command string) string {
	for _, j := range jobs {
		if j.Leader.PID == pid && !j.Status.Finished() {
			return fmt.Sprintf("%d is the process of %s: hob %s %[2]s", pid, j.ID, command)
		}
	}
	return "this is not the process ID of a job; hob takes IDs and names. See: hob list"
}

// candidates lists jobs, one per line, with status, age and place.
func candidates(jobs []engine.Job, now time.Time) string {
	ids, status := 0, 0
	for _, j := range jobs {
		ids, status = max(ids, len(j.ID)), max(status, len(j.Status))
	}
	var b strings.Builder
	b.WriteString("use an ID, or the letters at its end:")
	for _, j := range jobs {
		fmt.Fprintf(&b, "\n  %-*s  %-*s  %8s  %s", ids, j.ID, status, j.Status, age(j, now), placeOf(j))
	}
	return b.String()
}

// placeOf returns the group or the directory of a job, with its host.
func placeOf(j engine.Job) string {
	place := j.Dir
	if group := j.Labels["group"]; group != "" {
		place = group + "/" + cmp.Or(j.Labels["process"], j.Name)
	}
	if j.Host != "" {
		place += " on " + j.Host
	}
	return place
}

// age returns how long ago j started or ended, for example "3m ago".
func age(j engine.Job, now time.Time) string {
	at := j.CreatedAt
	if j.Status.Finished() && !j.Exit.At.IsZero() {
		at = j.Exit.At
	}
	return units.FormatDuration(now.Sub(at)) + " ago"
}
