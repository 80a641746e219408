package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/detail"
)

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status ID…",
		GroupID: groupInspect,
		Short:   "Show a job's details and its last lines of output",
		Long: "Show a job's details and its last lines of output. For a running job of this machine, or\n" +
			"of a host with hob-holder, they include its ports, its average CPU usage since the start,\n" +
			"and its memory. With --json, print an array if there are several IDs.",
		Example:           "hob status @\nhob status web worker",
		Args:              argCount(1, -1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.status(cmd.Context(), args) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) status(ctx context.Context, refs []string) error {
	jobs := make([]engine.Job, len(refs))
	var soon context.Context // of the last job, and thus the one that ends last
	for i, ref := range refs {
		job, until, err := a.resolveNow(ctx, ref) // an unreachable host is a fact about the job, not an error
		if err != nil {
			return err
		}
		asked := !job.Status.Finished() && a.onOtherMachine(job)
		if !asked { // its holder may hang
			if job, err = a.eng.Handle(job.ID).LastFacts(until); err != nil {
				return err
			}
		}
		jobs[i], soon = job, until
	}
	jobs = a.eng.MeasureAll(jobs)
	switch {
	case a.json && len(jobs) > 1:
		return a.printJobs(jobs)
	case a.json:
		return a.printJSON(jobs[0])
	}
	for i, job := range jobs {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		err := a.printDetail(soon, job)
		a.markSeen(job.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// statusLines is the number of lines of output that hob status shows.
const statusLines = 10

// printDetail prints a job as the UI's detail shows it, and its last lines of output.
// Lines wrap at the width of the terminal; where stdout is not a terminal they stay whole.
func (a *app) printDetail(ctx context.Context, job engine.Job) error {
	width := terminalSize(a.stdout).Cols
	if width == 0 {
		width = math.MaxInt32
	}
	d := detail.New(keymap.Detail{}, themes.Default(true).Styles(a.glyphs()), detail.Options{Input: "needed: hob attach " + string(job.ID)})
	d.SetNow(time.Now())
	d.SetJob(job)
	if job.Unsuccessful() {
		if why, err := a.eng.Handle(job.ID).Explain(ctx, false); err == nil { // else the record of the end is shown
			d.SetWhy(why.Finding)
		}
	}

	colored := a.colored(a.stdout)
	w := bufio.NewWriter(a.stdout)
	w.WriteString(paint(colored, cells.Clean(job.Name), styleBold) + "\n")
	for _, line := range d.Text(width) {
		if !colored {
			line = vt.Strip(line)
		}
		w.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	streams := job.Streams()
	for _, stream := range streams {
		lines, err := a.lastLines(ctx, job, stream)
		if err != nil {
			lines = []joblog.Line{{Text: "cannot read the output: " + err.Error()}}
		}
		if len(lines) == 0 {
			continue
		}
		w.WriteByte('\n')
		if len(streams) > 1 {
			w.WriteString(paint(colored, string(stream), styleBold) + "\n")
		}
		for _, line := range lines {
			line.Text = cells.Printable(line.Text) // beside facts of hob's own, unlike in hob log
			printLine(w, line)
		}
	}
	return w.Flush()
}

// lastLines returns the end of one stream of a job's output. It fails if the log cannot be
// read, for example because the job's host is unreachable.
func (a *app) lastLines(ctx context.Context, job engine.Job, stream engine.Stream) ([]joblog.Line, error) {
	log, err := a.eng.Handle(job.ID).Log(ctx, stream)
	if err != nil {
		return nil, noLog(job, err)
	}
	defer log.Close()
	lines, _, err := window(ctx, log, logFlags{limit: statusLines}, joblog.Query{Last: true, Limit: statusLines})
	return lines, err
}

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
	job, ctx, err := a.resolveNow(ctx, ref)
	if err != nil {
		return err
	}
	x, err := a.eng.Handle(job.ID).Explain(ctx, true)
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
	titles := map[string]string{
		"output": "Output", "program": "The program reports", "process": "Still running", "usage": "Usage", "last_success": "Last success", "port": "Port",
	}
	return cmp.Or(titles[kind], "Hint")
}
