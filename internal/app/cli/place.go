package cli

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/within"
	"github.com/hobjobs/hob/internal/units"
)

// A name means the job of the current directory, if there is one: see [within.Nearest]. Only without such a job a name
// means jobs of other directories.

// commandsWithAll returns the commands with the flag --all. Those that end jobs have none: it would look as if it
// meant all jobs.
func commandsWithAll() []string {
	return []string{"attach", "log", "poll", "replay", "restart", "screen", "status", "wait", "why", "write"}
}

func everywhereFlag(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.everywhere, "all", false, "search for a name in all directories, not first in this one")
}

// findHere returns the job of the current directory that a name means; ok is false if there is none.
func findHere(ctx context.Context, a *app, ref string, in engine.Intent) (job engine.Job, ok bool, err error) {
	if a.everywhere || strings.HasPrefix(ref, "@") {
		return job, false, nil
	}
	dir, err := os.Getwd()
	if err != nil { // it was deleted
		return job, false, nil
	}
	jobs, err := a.eng.List(ctx, engine.Filter{Unverified: true}) // as Find looks: holders that hang are not waited for
	if err != nil {
		return job, false, err
	}
	if slices.ContainsFunc(jobs, func(j engine.Job) bool { return string(j.ID) == ref }) {
		return job, false, nil
	}
	jobs = within.Named(jobs, ref)
	here := within.Nearest(jobs, dir)
	if len(here) == 0 {
		return job, false, nil
	}
	if job, err = engine.Choose(here, ref, in); err != nil {
		return job, false, err
	}
	reportOthers(a, jobs, here, job, ref)
	return job, true, nil
}

// reportOthers names the running jobs of other directories that have the same name.
func reportOthers(a *app, jobs, here []engine.Job, chosen engine.Job, ref string) {
	others := 0
	for _, j := range jobs {
		isHere := slices.ContainsFunc(here, func(h engine.Job) bool { return h.ID == j.ID })
		if !isHere && !j.Status.Finished() {
			others++
		}
	}
	if others == 0 || a.json {
		return
	}
	a.reportf("%s is %s, in this directory; %s elsewhere: hob list", escape(ref), chosen.ID, running(others))
}

// running returns that n jobs run.
func running(n int) string {
	if n == 1 {
		return "another one runs"
	}
	return units.Count(n, "other") + " run"
}
