package cli

import (
	"bufio"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

func (a *app) eventsCommand() *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:     "events",
		GroupID: groupRead,
		Short:   "Prints a line of JSON for each thing that happens",
		Long: "Prints a line of JSON for each thing that happens, from a created event for each\n" +
			"job there is on. With --since it begins with what was recorded since then.",
		Example:           `hob events | jq -r 'select(.kind == "exited") | .job.name'`,
		Args:              words(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.whileRead(cmd.Context(), func(ctx context.Context) error { return a.events(ctx, since) })
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "begin with what happened since then: 2h, 7d or a time")
	cmd.Flags().BoolVar(&a.json, "json", true, "print JSON")
	cmd.Flags().Lookup("json").Hidden = true
	return cmd
}

// eventJSON is the JSON form of an event.
type eventJSON struct {
	At     time.Time        `json:"at"`
	Kind   engine.EventKind `json:"kind"`
	Job    engine.Job       `json:"job"`
	Offset int64            `json:"offset"`
	Binary bool             `json:"binary,omitempty"`
}

func (a *app) events(ctx context.Context, since string) error {
	from, err := sinceTime(since, time.Now())
	if err != nil {
		return err
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	w := bufio.NewWriter(a.stdout)
	sub := eng.Subscribe(engine.Filter{})
	defer sub.Close()
	if !from.IsZero() {
		// The history takes the place of the snapshot, which is taken first: what
		// happens between the two is in both, never in neither.
		if _, err := sub.Next(ctx); err != nil {
			return err
		}
		past, err := eng.History(ctx, from)
		if err != nil {
			return err
		}
		if err := writeEvents(w, past); err != nil {
			return err
		}
	}
	for {
		batch, err := sub.Next(ctx)
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := writeEvents(w, batch); err != nil {
			return err
		}
	}
}

func writeEvents(w *bufio.Writer, events []engine.Event) error {
	for _, ev := range events {
		if err := encodeJSON(w, eventJSON{ev.At, ev.Kind, ev.Job, ev.Offset, ev.Binary}); err != nil {
			return err
		}
	}
	return w.Flush()
}
