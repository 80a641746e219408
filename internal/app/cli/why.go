package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
)

func (a *app) whyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "why ID",
		GroupID: groupInspect,
		Short:   "Explain why a job ended",
		Long: "Explain why a job ended: one sentence, then the evidence from its output, its record and\n" +
			"this machine. If the cause is not known, hob why prints what is known.",
		Args:              argCount(1, 1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Finished: true}, false),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.why(cmd.Context(), args[0]) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) why(ctx context.Context, ref string) error {
	job, err := a.resolveNow(ctx, ref)
	if err != nil {
		return err
	}
	x, err := a.eng.Explain(ctx, job.ID)
	if err != nil {
		return err
	}
	a.markSeen(job.ID)
	if a.json {
		return a.printJSON(struct {
			ID engine.ID `json:"id"`
			engine.Explanation
		}{job.ID, x})
	}
	w := bufio.NewWriter(a.stdout)
	fmt.Fprintln(w, fullStop(cells.Printable(x.Summary)))
	for i, e := range x.Evidence {
		if i == 0 || x.Evidence[i-1].Kind != e.Kind {
			fmt.Fprintf(w, "\n%s\n", paint(a.colored(a.stdout), evidenceTitle(e.Kind), styleBold))
		}
		fmt.Fprintln(w, "  "+cells.Printable(e.Text))
	}
	return w.Flush()
}

// fullStop ends a sentence that may end with a quoted text.
func fullStop(sentence string) string {
	if strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "!") {
		return sentence
	}
	return sentence + "."
}

// evidenceTitle returns the heading for evidence of a kind.
func evidenceTitle(kind string) string {
	switch kind {
	case "output":
		return "Output"
	case "process":
		return "Still running"
	case "usage":
		return "Usage"
	case "last_success":
		return "Last success"
	case "port":
		return "Port"
	}
	return "Hint"
}
