package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

// completeJobs offers the ids of the jobs that f selects, each with its name and
// status. many says whether the verb takes more than one.
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

// completeWords offers words for a flag.
func completeWords(cmd *cobra.Command, flag string, words ...cobra.Completion) {
	offer := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc(flag, offer) // fails only for a flag that is not there
}
