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

// completeJobs offers the ids of the jobs that f selects, each with its name and
// status. many reports whether the verb takes more than one.
func (a *app) completeJobs(f engine.Filter, many bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		eng, err := a.engine()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		// A shell waits for this with the person's hands on the keyboard.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
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
			_, word, _ := badges.of(j)
			found = append(found, cobra.CompletionWithDesc(string(j.ID), escape(j.Name)+" · "+word))
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeCommand offers the programs in PATH for the first word, and files for the
// others, as a shell does.
func completeCommand(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || begun == "" || strings.ContainsRune(begun, filepath.Separator) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found := map[string]bool{}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // as a shell does
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), begun) || found[e.Name()] {
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

// completeWords offers words for a flag.
func completeWords(cmd *cobra.Command, flag string, words ...cobra.Completion) {
	offer := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(flag, offer) // fails only for a flag that is not there
}

// completeHosts has the flag complete the names of hosts: those of jobs, then
// those of the ssh configuration.
func (a *app) completeHosts(cmd *cobra.Command, flag string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, a.hostNames) // fails only for a flag that is not there
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
