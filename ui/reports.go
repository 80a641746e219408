package ui

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termstatus"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// WithinJob declares that the host itself runs in a job. Reports leaves that job out: its state is that of the
// host.
func WithinJob(id engine.ID) Option { return func(o *options) { o.within = id } }

// Reports returns what the jobs of the pane do, for a host that reports it to its own terminal (OSC 7501): a report
// of the host itself, then one for each job that runs or that the user should look at, the most urgent ones first.
// While a job of [Pane.Foreground] is attached, they are the reports of the programs in its terminal.
func (p *Pane) Reports() []engine.ProgramReport {
	if a, ok := p.Attached(); ok && a.Foreground {
		if a.Job.Program == nil {
			return nil
		}
		return a.Job.Program.Reports
	}
	var all []engine.ProgramReport
	for _, id := range slices.Sorted(maps.Keys(p.jobs.all)) {
		if r, ok := p.reportOf(p.jobs.all[id]); ok && id != p.opts.within {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b engine.ProgramReport) int { return b.Compare(a) })
	return append([]engine.ProgramReport{summaryOf(all)}, all...)
}

// maxReportID is the longest name of a task in a report.
const maxReportID = 32

// reportOf returns the report on a job; ok is false if there is nothing to report.
func (p *Pane) reportOf(j *job) (r engine.ProgramReport, ok bool) {
	r = engine.ProgramReport{
		ID:    string(j.ID[max(0, len(j.ID)-maxReportID):]), // the end of an ID distinguishes it from all others
		App:   termstatus.App,
		Title: p.shortName(j.Job),
	}
	switch statusbadge.StateOf(j.Job) {
	case statusbadge.Waiting:
		r.State, r.Kind = engine.ProgramBlocked, neededBy(j.Job)
	case statusbadge.Failed, statusbadge.Lost:
		r.State = engine.ProgramError
		return r, j.FailedUnseen()
	case statusbadge.Done:
		r.State = engine.ProgramDone
		return r, j.unread > 0
	case statusbadge.Running, statusbadge.Unhealthy:
		r.State = engine.ProgramWorking
		if j.Program != nil {
			r.State = j.Program.State
		}
		if j.Progress != nil && r.State == engine.ProgramWorking {
			r.Percent = &j.Progress.Percent
		}
	case statusbadge.Starting, statusbadge.Restarting, statusbadge.Stopping:
		r.State = engine.ProgramWorking
	case statusbadge.Paused:
		r.State = engine.ProgramIdle
	case statusbadge.Stale, statusbadge.Queued, statusbadge.Stopped:
		return r, false
	}
	return r, true
}

// neededBy returns what a job needs of the user.
func neededBy(j engine.Job) engine.ProgramKind {
	switch {
	case j.NeedsSecret():
		return engine.NeedsSecret
	case j.Waiting, j.Program == nil: // it reads a line
		return engine.NeedsAnswer
	}
	return j.Program.Kind
}

// summaryOf returns the report of the host, given those on its jobs, most urgent first.
func summaryOf(jobs []engine.ProgramReport) engine.ProgramReport {
	r := engine.ProgramReport{State: engine.ProgramIdle, App: termstatus.App, Title: termstatus.App}
	if len(jobs) == 0 {
		return r
	}
	r.State = jobs[0].State
	var names []string
	var kinds []engine.ProgramKind
	for _, j := range jobs {
		if j.State == r.State {
			names, kinds = append(names, j.Title), append(kinds, j.Kind)
		}
	}
	r.Message = countedNames(r.State, names)
	if r.State == engine.ProgramBlocked {
		r.Kind = kindOfAll(kinds)
	}
	return r
}

// kindOfAll returns what the user has to do for jobs that need something: a secret is named first, a permission only
// if nothing else is needed.
func kindOfAll(kinds []engine.ProgramKind) engine.ProgramKind {
	if slices.Contains(kinds, engine.NeedsSecret) {
		return engine.NeedsSecret
	}
	if slices.ContainsFunc(kinds, func(k engine.ProgramKind) bool { return k != kinds[0] }) {
		return engine.NeedsAnswer
	}
	return kinds[0]
}

// maxNamed is how many jobs the host's report names.
const maxNamed = 5

// countedNames describes jobs in one state: "api needs input", "2 jobs need input: api, deploy".
func countedNames(state engine.ProgramState, names []string) string {
	one, many := "", ""
	switch state {
	case engine.ProgramBlocked:
		one, many = "needs input", "need input"
	case engine.ProgramError:
		one, many = "failed", "failed"
	case engine.ProgramDone:
		one, many = "is done", "are done"
	case engine.ProgramWorking:
		one, many = "is running", "are running"
	case engine.ProgramIdle:
		one, many = "is idle", "are idle"
	}
	if len(names) == 1 {
		return names[0] + " " + one
	}
	list := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if len(names) > maxNamed {
		list += ", …"
	}
	return strconv.Itoa(len(names)) + " jobs " + many + ": " + list
}
