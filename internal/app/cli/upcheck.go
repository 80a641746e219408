package cli

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/project"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/internal/units"
)

type planJSON struct {
	File      string            `json:"file"`
	Merged    []string          `json:"merged"` // further files that were merged into it
	EnvRule   string            `json:"env_rule"`
	Dir       string            `json:"dir"`
	Group     string            `json:"group"`
	Processes []planProcessJSON `json:"processes"`
	OnRequest []string          `json:"on_request"` // the processes that are started only if they are named
	Compounds []compoundJSON    `json:"compounds"`
	Gone      []goneJSON        `json:"gone"` // running processes that the file no longer has
	Notes     []project.Note    `json:"notes"`
}

type planProcessJSON struct {
	Name     string         `json:"name"`
	Line     int            `json:"line"`
	Action   project.Action `json:"action"`
	Reason   string         `json:"reason,omitempty"` // how the job that runs differs from the file
	ID       engine.ID      `json:"id,omitempty"`     // of the job that runs already
	Command  []string       `json:"command"`          // null for a script
	Script   string         `json:"script,omitempty"`
	Dir      string         `json:"dir"`
	EnvNames []string       `json:"env_names"`
	After    []string       `json:"after"`
	Restart  string         `json:"restart,omitempty"`
	Stop     string         `json:"stop,omitempty"`     // how it is asked to end, if not by SIGTERM
	Health   string         `json:"health,omitempty"`   // the check while it runs
	EndsAll  string         `json:"ends_all,omitempty"` // when hob up --wait stops the others
	Problem  string         `json:"problem,omitempty"`  // what would keep it from starting or becoming ready
}

type goneJSON struct {
	Name   string         `json:"name"`
	Action project.Action `json:"action"` // stop or gone
	ID     engine.ID      `json:"id"`
}

// printPlan prints what hob up would do. Values of variables may be secrets, so it has only names.
func (a *app) printPlan(ctx context.Context, plan *project.Plan, chosen []project.Process, f upFlags) error {
	eng, err := a.engine()
	if err != nil {
		return err
	}
	group := f.groupOf(plan)
	running, err := group.Running(ctx, eng)
	if err != nil {
		return err
	}
	up := f.up(eng, plan)
	if err := up.ReadKey(); err != nil {
		return err
	}
	up.Base.Grace = a.settings().Run.Grace
	out := planJSON{
		File:      plan.File,
		EnvRule:   plan.EnvRule,
		Merged:    append([]string{}, plan.Merged...),
		Dir:       plan.Dir,
		Group:     group.Name,
		Processes: []planProcessJSON{},
		OnRequest: notChosen(plan, chosen),
		Compounds: compounds(plan),
		Notes:     plan.Notes,
		Gone:      []goneJSON{},
	}
	for _, j := range up.Gone(running, chosen) {
		gone := goneJSON{Name: project.ProcessOf(j), Action: project.Gone, ID: j.ID}
		if f.prune {
			gone.Action = project.Stop
		}
		out.Gone = append(out.Gone, gone)
	}
	for _, proc := range chosen {
		p := planProcessJSON{
			Name:     proc.Name,
			Line:     proc.Line,
			Command:  proc.Command,
			Script:   proc.Script,
			Dir:      proc.Dir,
			EnvNames: append([]string{}, slices.Sorted(maps.Keys(proc.Env))...),
			After:    append([]string{}, project.After(proc, chosen)...),
			Restart:  proc.Restart,
			Stop:     proc.Shutdown.String(),
			Health:   proc.HealthCheck().Check,
			EndsAll:  proc.EndsAll.String(),
		}
		d := up.Decide(proc, running)
		p.Action, p.Reason, p.ID = d.Action, d.Reason, d.Job.ID
		if d.Job.Status == engine.Stopping {
			p.Action, p.Reason = project.Start, ""
		}
		if p.Problem, err = up.Obstacle(ctx, proc, d); err != nil {
			return err
		}
		out.Processes = append(out.Processes, p)
	}
	if a.json {
		return a.printJSON(out)
	}
	return a.printPlanText(out)
}

// compoundJSON is a task that only starts others.
type compoundJSON struct {
	Name   string   `json:"name"`
	Starts []string `json:"starts"`
}

// compounds returns the processes without a command.
func compounds(plan *project.Plan) []compoundJSON {
	all := []compoundJSON{}
	for _, p := range plan.Processes {
		if p.Runs() {
			continue
		}
		c := compoundJSON{Name: p.Name}
		for _, n := range p.Needs {
			c.Starts = append(c.Starts, n.Name)
		}
		all = append(all, c)
	}
	return all
}

func notChosen(plan *project.Plan, chosen []project.Process) []string {
	names := []string{}
	for _, p := range plan.Processes {
		isChosen := slices.ContainsFunc(chosen, func(c project.Process) bool { return c.Name == p.Name })
		if p.Runs() && !isChosen {
			names = append(names, p.Name)
		}
	}
	return names
}

func (a *app) printPlanText(plan planJSON) error {
	w := bufio.NewWriter(a.stdout)
	colored := a.colored(a.stdout)
	fmt.Fprintf(w, "%s in %s, group %s\n", escape(strings.Join(slices.Concat([]string{plan.File}, plan.Merged), " and ")), escape(plan.Dir), escape(plan.Group))
	if plan.EnvRule != "" {
		fmt.Fprintf(w, "Variables in .env: %s\n", plan.EnvRule)
	}
	for _, p := range plan.Processes {
		fmt.Fprintf(w, "\n%s  %s\n", paint(colored, escape(p.Name), styleBold), planAction(p))
		for _, row := range planRows(p, plan.Dir) {
			fmt.Fprintf(w, "  %s %s\n", paint(colored, fmt.Sprintf("%-8s", row[0]), styleDim), escape(row[1]))
		}
	}
	for _, gone := range plan.Gone {
		what := "keeps running as"
		if gone.Action == project.Stop {
			what = "stop of"
		}
		fmt.Fprintf(w, "\n%s  %s %s: no longer in the file\n", paint(colored, escape(gone.Name), styleBold), what, gone.ID)
	}
	if len(plan.Processes) == 0 {
		fmt.Fprint(w, "\nNothing is started: name those to start\n")
	}
	if len(plan.OnRequest) > 0 {
		fmt.Fprintf(w, "\nNot started unless named: %s\n", escape(strings.Join(plan.OnRequest, ", ")))
	}
	for _, c := range plan.Compounds {
		fmt.Fprintf(w, "\n%s only starts others: %s\n", escape(c.Name), escape(strings.Join(c.Starts, ", ")))
	}
	if len(plan.Notes) > 0 {
		fmt.Fprint(w, "\nNot understood, and ignored:\n")
	}
	for _, n := range plan.Notes {
		fmt.Fprintln(w, "  "+escape(n.String()))
	}
	return w.Flush()
}

func planAction(p planProcessJSON) string {
	switch p.Action {
	case project.Keep:
		text := "runs already as " + string(p.ID)
		if p.Reason != "" {
			text += ", not restarted: " + p.Reason
		}
		return text
	case project.Restart:
		text := "restart of " + string(p.ID)
		if p.Reason != "" {
			text += ": " + p.Reason
		}
		return text
	case project.Start, project.Skip, project.Gone, project.Stop:
	}
	if p.ID != "" {
		return "start, when " + string(p.ID) + " has ended, which is being stopped"
	}
	return "start"
}

// planRows returns the rows of a process: what differs from a command in the directory of the project.
func planRows(p planProcessJSON, dir string) (rows [][2]string) {
	command := p.Script
	if command == "" {
		command = shellword.Join(p.Command)
	}
	for _, line := range strings.Split(strings.TrimSpace(command), "\n") {
		rows = append(rows, [2]string{"command", line})
	}
	shown := p.Dir
	if rel, err := filepath.Rel(dir, p.Dir); err == nil && filepath.IsLocal(rel) {
		shown = rel
	}
	if shown != "." {
		rows = append(rows, [2]string{"dir", shown})
	}
	if len(p.EnvNames) > 0 {
		rows = append(rows, [2]string{"env", strings.Join(p.EnvNames, ", ")})
	}
	for _, need := range p.After {
		rows = append(rows, [2]string{"after", need})
	}
	if p.Restart != "" {
		rows = append(rows, [2]string{"restart", restartText(p.Restart)})
	}
	if p.Health != "" {
		rows = append(rows, [2]string{"health", p.Health})
	}
	if p.Stop != "" {
		rows = append(rows, [2]string{"stop", p.Stop})
	}
	if p.Problem != "" {
		rows = append(rows, [2]string{"problem", p.Problem})
	}
	if p.EndsAll != "" {
		rows = append(rows, [2]string{"ends all", p.EndsAll + " (with --wait)"})
	}
	return rows
}

func restartText(policy string) string {
	when, limit, _ := strings.Cut(policy, ":")
	text := "always"
	if when == "on-failure" {
		text = "after a failure"
	}
	if n, err := strconv.Atoi(limit); err == nil {
		text += ", at most " + units.Count(n, "time")
	}
	return text
}
