package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	enginereplay "github.com/hobjobs/hob/engine/replay"
	"github.com/hobjobs/hob/ui"
	"github.com/hobjobs/hob/ui/components/replay"
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
	s, err := a.eng.Handle(job.ID).Screen(ctx)
	if errors.Is(err, engine.ErrUnsupported) && !job.HasTerminal() {
		return &failure{
			exit: exitState,
			code: "unsupported",
			err:  fmt.Errorf("%s has no screen: it was started without a terminal", job.ID),
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

const maxReplaySpeed = 64

type replayFlags struct {
	speed float64
	idle  time.Duration
	cast  bool
}

func (a *app) replayCommand() *cobra.Command {
	f := replayFlags{speed: 1, idle: 2 * time.Second}
	cmd := &cobra.Command{
		Use:     "replay ID",
		GroupID: groupInspect,
		Short:   "Replay a job's terminal as it was",
		Long: "Replay a job's terminal as it was. Space pauses, the arrow keys go 5 seconds back and\n" +
			"forward, [ and ] to the previous and next burst of output, 0 to 9 to the tenths of the\n" +
			"recording, < and > change the speed, / searches the screens, q quits. Of a running job,\n" +
			"G returns to what it shows now.",
		Example:           "hob replay --speed 4 deploy\nhob replay --cast deploy >deploy.cast    # for asciinema play",
		Args:              argCount(1, 1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.replay(cmd.Context(), args[0], f) },
	}
	flags := cmd.Flags()
	flags.Var(parseInto(&f.speed, "N", parseSpeed), "speed", "how fast to play (default 1)")
	flags.Var(durationFlag(&f.idle), "idle-limit", "cut pauses to this (default 2s)")
	flags.BoolVar(&f.cast, "cast", false, "print the recording as asciicast v2")
	return cmd
}

func parseSpeed(s string) (float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0 && n <= maxReplaySpeed) {
		return 0, errors.New("use a number above 0, at most " + strconv.Itoa(maxReplaySpeed))
	}
	return n, nil
}

func (a *app) replay(ctx context.Context, ref string, f replayFlags) error {
	job, err := a.resolve(ctx, ref, engine.Read)
	if err != nil {
		return err
	}
	if err := a.connectFor(ctx, job); err != nil {
		return err
	}
	rec, err := enginereplay.Open(ctx, a.eng.Handle(job.ID))
	if err != nil {
		return err
	}
	defer rec.Close()
	if f.cast {
		return rec.WriteCast(ctx, a.stdout)
	}
	if !hasScreen(a.stdout) {
		return usagef("use --cast, or hob log "+string(job.ID), "hob replay needs a terminal")
	}
	o := a.window(a.settings())
	o.Replay, o.Select = job.ID, job.ID
	o.Pane = append(o.Pane, ui.WithReplay(replay.Options{Speed: f.speed, IdleLimit: f.idle}))
	_, err = a.runApp(ctx, o)
	return err
}
