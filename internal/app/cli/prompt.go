package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

func (a *app) promptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "prompt",
		GroupID: groupInspect,
		Short:   `Print "2 running 1 failed" for a prompt or status line`,
		Long: "Print how many jobs are running, need input, are queued or have failed. Prints nothing if\n" +
			"there are none. A failed job counts until you look at it in the UI, or with hob log, status\n" +
			"or screen.",
		Example: `PS1='$(hob prompt) \$ '`,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.prompt(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// prompt prints nothing if no job runs or failed, so that the shell's prompt stays as it
// is.
func (a *app) prompt(ctx context.Context) error {
	jobs, err := a.eng.List(ctx, engine.Filter{Unverified: true})
	if err != nil {
		return err
	}
	counts := countForPrompt(jobs)
	if a.json {
		return a.printJSON(counts)
	}
	text := counts.String()
	if text == "" {
		return nil
	}
	_, err = fmt.Fprintln(a.stdout, text)
	return err
}

type promptCounts struct {
	NeedsInput int `json:"needs_input"`
	Running    int `json:"running"` // including those that need input
	Failed     int `json:"failed"`
	Queued     int `json:"queued"`
}

func countForPrompt(jobs []engine.Job) promptCounts {
	var c statusbadge.Counts
	runAgain := 0 // jobs whose command runs again after a failure
	for _, j := range jobs {
		if !j.Status.Finished() && j.Link == engine.LinkElsewhere {
			continue // its end will never be recorded here
		}
		c.Add(j)
		if statusbadge.NeedOf(j) == statusbadge.Restarts && j.Status != engine.Queued {
			runAgain++
		}
	}
	return promptCounts{
		NeedsInput: c.Waiting,
		Running:    c.Running + runAgain,
		Failed:     c.Failed,
		Queued:     c.Queued + c.Restarting - runAgain,
	}
}

// String returns the counts that are not 0.
func (c promptCounts) String() string {
	var parts []string
	if c.Running > 0 {
		text := fmt.Sprintf("%d running", c.Running)
		switch c.NeedsInput {
		case 0:
		case 1:
			text += " (1 needs input)"
		default:
			text += fmt.Sprintf(" (%d need input)", c.NeedsInput)
		}
		parts = append(parts, text)
	}
	if c.Queued > 0 {
		parts = append(parts, fmt.Sprintf("%d queued", c.Queued))
	}
	if c.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", c.Failed))
	}
	return strings.Join(parts, " ")
}
