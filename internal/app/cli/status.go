package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "status ID",
		GroupID:           groupRead,
		Short:             "Prints every field of one job",
		Args:              words(1, 1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.status(cmd.Context(), args[0]) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) status(ctx context.Context, ref string) error {
	job, err := a.resolve(ctx, ref, engine.Read)
	if err != nil {
		return err
	}
	// A host that cannot be asked is a fact about the job, no error.
	if !job.Status.Finished() && a.onOtherMachine(job) {
		a.tryHosts(ctx, job.Host)
	}
	if job, err = a.eng.Get(ctx, string(job.ID)); err != nil {
		return err
	}
	if a.json {
		return a.printJob(job)
	}
	fields, err := fieldsOf(job)
	if err != nil {
		return err
	}
	wide := 0
	for _, f := range fields {
		wide = max(wide, len(f.name))
	}
	colored := a.colored(a.stdout)
	return a.printLines(len(fields), func(i int) string {
		f := fields[i]
		text := f.text
		if f.name == "status" {
			text = paint(colored, text, styleOf(statusbadge.StateOf(job)))
		}
		return paint(colored, fmt.Sprintf("%-*s", wide, f.name), styleDim) + "  " + text
	})
}

// field is one field of a job's JSON form in words.
type field struct{ name, text string }

// fieldsOf is a job's JSON form field by field, in its order, so that the text
// can never lack one.
func fieldsOf(job engine.Job) ([]field, error) {
	p, err := job.MarshalJSON()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(p))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var fields []field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		fields = append(fields, field{fmt.Sprint(name), valueText(fmt.Sprint(name), value)})
	}
	return fields, nil
}

// valueText is a JSON value for a person: strings as they are but escaped,
// argument vectors as a shell would take them, nothing as a dash.
func valueText(name string, value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil && len(value) > 0 && value[0] == '"' {
		if s == "" {
			return "-"
		}
		return escape(s)
	}
	var list []string
	if json.Unmarshal(value, &list) == nil && len(list) > 0 {
		if name == "command" {
			return escape(quoteWords(list))
		}
		return escape(strings.Join(list, " "))
	}
	switch text := string(value); text {
	case "null", "[]", "{}":
		return "-"
	default:
		return escape(text)
	}
}
