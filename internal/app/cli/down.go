package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/project"
)

type downFlags struct{ file, group string }

func (a *app) downCommand() *cobra.Command {
	var f downFlags
	cmd := &cobra.Command{
		Use:     "down [NAME…]",
		GroupID: groupStop,
		Short:   "Stop the jobs that hob up started",
		Long: "Stop the jobs that hob up started in the current directory, or only the processes with a NAME.\n" +
			"A process is stopped after those that depend on it, by the signal or the command that\n" +
			"its file has for this. --group stops the jobs of a group from any directory.",
		Example: "hob down\nhob down web\nhob down --group shop",
		ValidArgsFunction: a.completion(true, func(ctx context.Context) (names []cobra.Completion, err error) {
			jobs, err := a.runningIn(ctx, f)
			for _, j := range jobs {
				names = append(names, project.ProcessOf(j))
			}
			slices.Sort(names)
			return names, err
		}),
		RunE: func(cmd *cobra.Command, args []string) error { return a.down(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.VarP(nonEmptyFlag(&f.file, "FILE"), "file", "f", "stop the project of this file")
	flags.Var(nonEmptyFlag(&f.group, "GROUP"), "group", "stop the jobs of this group, from any directory")
	completeGroups(a, cmd)
	a.jsonFlag(cmd)
	return cmd
}

// runningIn returns the running jobs of the project or the group, the last one started first. It does
// not read a file: a project is its directory.
func (a *app) runningIn(ctx context.Context, f downFlags) ([]engine.Job, error) {
	if f.group != "" {
		return project.Group{Name: f.group}.Running(ctx, a.eng)
	}
	dir, err := filepath.Abs(project.DirOf(f.file)) // the current directory without a file
	if err != nil {
		return nil, err
	}
	return project.Group{Dir: project.Canonical(dir)}.Running(ctx, a.eng)
}

func (a *app) down(ctx context.Context, names []string, f downFlags) error {
	jobs, err := a.runningIn(ctx, f)
	if err != nil {
		return err
	}
	if f.group != "" && len(jobs) == 0 {
		exists, err := project.Group{Name: f.group}.Exists(ctx, a.eng)
		if err != nil {
			return err
		}
		if !exists {
			return noGroup(ctx, a.eng, f.group)
		}
	}
	if jobs, err = ofProcesses(jobs, names); err != nil {
		return err
	}
	if len(jobs) == 0 {
		a.reportf("Nothing to stop")
	}
	return a.printChanged(ctx, jobs, project.Down(ctx, a.eng, jobs, "cli", a.reportStopped))
}

// ofProcesses returns the jobs of the processes with the given names, or all without names.
func ofProcesses(jobs []engine.Job, names []string) ([]engine.Job, error) {
	if len(names) == 0 {
		return jobs, nil
	}
	var there []string
	for _, j := range jobs {
		there = append(there, project.ProcessOf(j))
	}
	for _, name := range names {
		if !slices.Contains(there, name) {
			f := &failure{exit: exitNoJob, code: "not_found", err: fmt.Errorf("no running process %q", name)}
			if len(there) > 0 {
				f.hint = "running: " + strings.Join(there, ", ")
			}
			return nil, f
		}
	}
	return slices.DeleteFunc(jobs, func(j engine.Job) bool { return !slices.Contains(names, project.ProcessOf(j)) }), nil
}
