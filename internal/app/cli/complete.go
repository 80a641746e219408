package cli

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

// completeJobs completes the IDs of the jobs that f selects, described by name and status.
// many allows more than one argument.
func (a *app) completeJobs(f engine.Filter, many bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		eng, err := a.engine()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		// The user is waiting in the middle of a command line.
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		jobs, err := eng.List(ctx, f)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		taken := map[string]bool{}
		for _, arg := range args {
			taken[arg] = true
		}
		var found []cobra.Completion
		badges := a.badges(time.Now())
		for _, j := range jobs {
			if taken[string(j.ID)] {
				continue
			}
			_, status, _ := badges.of(j)
			found = append(found, cobra.CompletionWithDesc(string(j.ID), escape(j.Name)+" · "+status))
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeCommand completes the first argument to programs in PATH, and the others to files,
// as a shell does.
func completeCommand(_ *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || prefix == "" || strings.ContainsRune(prefix, filepath.Separator) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found := map[string]bool{}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // as a shell does
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), prefix) || found[e.Name()] {
				continue
			}
			if _, err := exec.LookPath(filepath.Join(dir, e.Name())); err == nil {
				found[e.Name()] = true
			}
		}
	}
	if len(found) == 0 { // perhaps a directory with programs
		return nil, cobra.ShellCompDirectiveDefault
	}
	return slices.Sorted(maps.Keys(found)), cobra.ShellCompDirectiveNoFileComp
}

// completeValues completes a flag to fixed values.
func completeValues(cmd *cobra.Command, flag string, values ...cobra.Completion) {
	complete := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(flag, complete) // fails only for an undefined flag
}

// completeHosts completes a flag to host names: those with jobs first, then those in ssh's
// configuration.
func (a *app) completeHosts(cmd *cobra.Command, flag string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, a.hostNames) // fails only for an undefined flag
}

func (a *app) hostNames(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known, err := a.knownHosts(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, h := range known {
		if !slices.Contains(args, h.name) {
			names = append(names, h.name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
