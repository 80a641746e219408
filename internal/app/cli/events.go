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
		GroupID: groupInspect,
		Short:   "Print events as JSON lines",
		Long: "Print one line of JSON for each event, beginning with a created event for each\n" +
			"existing job. With --since, begin with the events recorded since then instead.\n\n" +
			"Meanwhile, hob runs the command of the setting [notify] for events that no other process\n" +
			"of hob can report, such as a lost job; see docs/notify.md.",
		Example: `hob events | jq -r 'select(.kind == "exited") | .job.name'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.whileRead(cmd.Context(), func(ctx context.Context) error { return a.events(ctx, since) })
		},
	}
	cmd.Flags().Var(textFlag(&since, "TIME"), "since", "begin with past events: 2h, 7d or a time")
	cmd.Flags().BoolVar(&a.json, "json", true, "print JSON")
	cmd.Flags().Lookup("json").Hidden = true
	return cmd
}

type eventJSON struct {
	At     time.Time        `json:"at"`
	Kind   engine.EventKind `json:"kind"`
	Job    engine.Job       `json:"job"`
	Offset int64            `json:"offset"`
	Binary bool             `json:"binary,omitempty"`
	Code   *int             `json:"exit_code,omitempty"` // of a run that is followed by another one
	Signal string           `json:"signal,omitempty"`    // likewise

	Program *engine.ProgramChange `json:"program,omitempty"` // of a status event
}

func (a *app) events(ctx context.Context, since string) error {
	from, err := sinceTime(since, time.Now())
	if err != nil {
		return err
	}
	w := bufio.NewWriter(a.stdout)
	sub := a.eng.Subscribe(engine.Filter{})
	defer sub.Close()
	defer notifyWhile(ctx, a, engine.Filter{})()
	if !from.IsZero() {
		// The history replaces the snapshot, which is taken first, so that no event in
		// between is missed. Such an event appears twice.
		if _, err := sub.Next(ctx); err != nil {
			return err
		}
		past, err := a.eng.History(ctx, from)
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
		line := eventJSON{
			At:     ev.At,
			Kind:   ev.Kind,
			Job:    ev.Job,
			Offset: ev.Offset,
			Binary: ev.Binary,
			Code:   ev.Exit.Code,
			Signal: ev.Exit.Signal,
		}
		if ev.Kind == engine.EventStatus {
			line.Program = &ev.Program
		}
		if err := encodeJSON(w, line); err != nil {
			return err
		}
	}
	return w.Flush()
}
