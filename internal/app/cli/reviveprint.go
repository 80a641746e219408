package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
)

type revivalJSON struct {
	Lost    engine.Job  `json:"lost"`
	Job     *engine.Job `json:"job"`
	Missing []string    `json:"missing_env"`
	Error   *string     `json:"error"`
}

// A revivalPrinter prints what was started, or would be.
type revivalPrinter struct {
	app    *app
	dryRun bool
}

// print prints a table of the lost jobs, or the ids of the new ones. Jobs that were not started are reported with the
// reason.
func (p revivalPrinter) print(revivals []engine.Revival) error {
	if p.app.json {
		return p.printObjects(revivals)
	}
	if len(revivals) == 0 {
		p.app.reportf("No job to start: no job was ended by a reboot, or all were started again")
		return nil
	}
	if p.dryRun {
		return p.printTable(revivals)
	}
	var failed error
	for _, r := range revivals {
		if r.Err != nil {
			failed = exitStatus(exitFailed)
			p.reportFailure(r)
			continue
		}
		if _, err := fmt.Fprintln(p.app.stdout, r.Started.ID); err != nil {
			return err
		}
		if r.Started.Status == engine.Failed {
			failed = exitStatus(exitFailed)
			p.app.reportf("%s %s %s", p.app.paintErr("hob:", styleBad), escape(r.Started.Name), escape(r.Started.Ending()))
		}
	}
	if len(startable(revivals)) > 0 {
		p.app.reportLogout()
	}
	return failed
}

func (p revivalPrinter) reportFailure(r engine.Revival) {
	f := explain(r.Err)
	p.app.reportf("%s %s", p.app.paintErr("hob:", styleBad), escape(f.Error()))
	if f.hint != "" {
		p.app.reportf("     %s", escape(f.hint))
	}
}

func (p revivalPrinter) printObjects(revivals []engine.Revival) error {
	list := make([]revivalJSON, len(revivals))
	failed := false
	for i, r := range revivals {
		list[i] = revivalJSON{Lost: r.Lost, Job: r.Started, Missing: missingOf(r)}
		if r.Err != nil {
			text := r.Err.Error()
			list[i].Error, failed = &text, true
		}
	}
	if err := p.app.printJSON(list); err != nil {
		return err
	}
	if failed && !p.dryRun {
		return exitStatus(exitFailed)
	}
	return nil
}

// missingOf returns the variables without which a job is not started.
func missingOf(r engine.Revival) []string {
	if missing, ok := errors.AsType[*engine.MissingEnvError](r.Err); ok {
		return missing.Names
	}
	return []string{}
}

// printTable lists lost jobs, and below them why some are left out.
func (p revivalPrinter) printTable(revivals []engine.Revival) error {
	t, left := newTable("ID", "NAME", "COMMAND", "DIR", "QUEUE", "AFTER"), newTable("LEFT OUT", "")
	for _, r := range revivals {
		id := cell{text: string(r.Lost.ID)}
		t.add(
			id,
			cell{text: escape(r.Lost.Name)},
			cell{text: escape(r.Lost.CommandLine()), cutEnd: true},
			cell{text: escape(r.Lost.Dir)},
			cell{text: escape(r.Lost.Queue)},
			cell{text: afterText(r.Lost)},
		)
		if r.Err != nil {
			left.add(id, cell{text: escape(reasonOf(r)), style: styleWarn})
		}
	}
	for _, name := range []string{"DIR", "QUEUE", "AFTER"} {
		if t.isEmpty(name) {
			t.hide(name)
		}
	}
	colored := p.app.colored(p.app.stdout)
	lines := t.render(t.within(terminalSize(p.app.stdout).Cols, "COMMAND", "DIR"), colored)
	if len(left.rows) > 1 {
		lines = append(append(lines, ""), left.lines(0, colored)...)
	}
	return printLines(p.app, lines)
}

// reasonOf returns why a job is left out, without its id.
func reasonOf(r engine.Revival) string {
	if names := missingOf(r); len(names) > 0 {
		return "needs -e " + strings.Join(names, ", -e ")
	}
	err := r.Err
	if e, ok := errors.AsType[*engine.Error](err); ok {
		err = e.Err
	}
	return strings.TrimPrefix(err.Error(), engine.ErrInvalid.Error()+": ")
}

// afterText names the jobs for which a job waited.
func afterText(j engine.Job) string {
	var names []string
	for _, id := range slices.Concat(j.After, j.AfterAny) {
		names = append(names, string(id))
	}
	return strings.Join(names, " ")
}

// startable returns the lost jobs that can be started.
func startable(revivals []engine.Revival) (ids []engine.ID) {
	for _, r := range revivals {
		if r.Err == nil {
			ids = append(ids, r.Lost.ID)
		}
	}
	return ids
}
