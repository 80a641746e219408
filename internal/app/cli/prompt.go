package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

func (a *app) promptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "prompt",
		GroupID:           groupRead,
		Short:             `Prints "2 running 1 failed" for a prompt or status line`,
		Example:           `PS1='$(hob prompt) \$ '`,
		Args:              words(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.prompt(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// prompt prints nothing at all when there is nothing to say, so that a prompt
// stays as it was.
func (a *app) prompt(ctx context.Context) error {
	eng, err := a.engine()
	if err != nil {
		return err
	}
	jobs, err := eng.List(ctx, engine.Filter{})
	if err != nil {
		return err
	}
	running, failed := 0, 0
	for _, j := range jobs {
		switch {
		case !j.Status.Finished() && j.Link == engine.LinkElsewhere: // nothing here will learn of its end
		case !j.Status.Finished():
			running++
		case j.Unsuccessful():
			failed++
		}
	}
	if a.json {
		return a.printJSON(map[string]int{"running": running, "failed": failed})
	}
	var parts []string
	if running > 0 {
		parts = append(parts, fmt.Sprintf("%d running", running))
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	if len(parts) == 0 {
		return nil
	}
	_, err = fmt.Fprintln(a.stdout, strings.Join(parts, " "))
	return err
}
