package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

func (a *app) screenCommand() *cobra.Command {
	var styled bool
	cmd := &cobra.Command{
		Use:               "screen ID",
		GroupID:           groupInspect,
		Short:             "Show a job's current (or last) screen",
		Args:              argCount(1, 1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.screen(cmd.Context(), args[0], styled)
		},
	}
	cmd.Flags().BoolVar(&styled, "ansi", false, "with colors, as escape sequences")
	a.jsonFlag(cmd)
	return cmd
}

// screenJSON is the JSON output of hob screen.
type screenJSON struct {
	Text      string      `json:"text"`
	Size      engine.Size `json:"size"`
	Cursor    cursorJSON  `json:"cursor"`
	Title     string      `json:"title"`
	Alternate bool        `json:"alternate"`
}

type cursorJSON struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Visible bool `json:"visible"`
}

func (a *app) screen(ctx context.Context, ref string, styled bool) error {
	job, err := a.find(ctx, ref, engine.Read)
	if err != nil {
		return err
	}
	s, err := a.eng.Screen(ctx, job.ID)
	if errors.Is(err, engine.ErrUnsupported) && !job.HasTerminal() {
		return &failure{
			exit: exitState, code: "unsupported", err: fmt.Errorf("%s has no screen: it was started without a terminal", job.ID),
			hint: "Its output: hob log " + string(job.ID),
		}
	}
	if err != nil {
		return noLog(job, err)
	}
	text := s.Text
	if styled {
		text = s.ANSI
	}
	if a.json {
		return a.printJSON(screenJSON{text, s.Size, cursorJSON{s.CursorX, s.CursorY, s.CursorOn}, s.Title, s.Alternate})
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err = io.WriteString(a.stdout, text)
	a.markSeen(job.ID)
	return err
}
