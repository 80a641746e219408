package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/readahead"
)

// maxPaste bounds what is read to be pasted in one go.
const maxPaste = 16 << 20

type writeFlags struct {
	enter, paste, keys, eof bool
}

func (a *app) writeCommand() *cobra.Command {
	var f writeFlags
	cmd := &cobra.Command{
		Use:     "write ID [DATA]",
		GroupID: groupTalk,
		Short:   "Types into a job",
		Long: "Types DATA into a job, as it is; - reads it from standard input. With --keys the\n" +
			"rest of the words are keys by their tmux names: C-c Up F5 M-x Enter. A word\n" +
			"that is no key is typed as it is.",
		Example:           "hob write @ yes --enter\nhob write --keys @ C-c\ngit diff | hob write --paste --eof @ -",
		Args:              words(1, -1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.write(cmd.Context(), args[0], args[1:], f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.enter, "enter", false, "press Enter after it")
	flags.BoolVar(&f.paste, "paste", false, "as a paste, bracketed if the job asked for that")
	flags.BoolVar(&f.keys, "keys", false, "the words after ID are keys")
	flags.BoolVar(&f.eof, "eof", false, "end the job's input after it")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) write(ctx context.Context, ref string, data []string, f writeFlags) error {
	switch {
	case f.keys && f.paste:
		return usagef("use two commands", "--keys and --paste exclude each other")
	case f.keys && len(data) == 0:
		return usagef("for example: hob write --keys "+quoteWord(ref)+" C-c", "--keys needs keys")
	case !f.keys && len(data) > 1:
		return usagef("quote it: hob write "+quoteWord(ref)+" "+quoteWord(strings.Join(data, " ")), "DATA is one word, here are %d", len(data))
	case len(data) == 0 && !f.enter && !f.eof:
		return usagef("say DATA, --keys, --enter or --eof", "nothing to write")
	}
	job, err := a.find(ctx, ref, engine.Act)
	if err != nil {
		return err
	}
	enter := f.enter
	switch {
	case f.keys:
		err = a.eng.SendKeys(ctx, job.ID, data)
	case len(data) == 1 && data[0] == "-":
		err = a.writeStdin(ctx, job.ID, f.paste)
	case len(data) == 1 && f.paste:
		err = a.eng.Paste(ctx, job.ID, []byte(data[0]))
	case len(data) == 1:
		line := data[0]
		if enter { // in one piece: what others type meanwhile comes before or after it
			line, enter = line+lineEnd(job), false
		}
		err = a.eng.Write(ctx, job.ID, []byte(line))
	}
	if err == nil && enter {
		err = a.pressEnter(ctx, job)
	}
	if err == nil && f.eof {
		err = a.eng.CloseInput(ctx, job.ID)
	}
	if err != nil || !a.json {
		return err
	}
	return a.printJob(a.again(ctx, []engine.Job{job})[0])
}

// writeStdin types standard input into the job as it comes; a paste is one.
func (a *app) writeStdin(ctx context.Context, id engine.ID, paste bool) error {
	if paste {
		data, err := io.ReadAll(io.LimitReader(a.stdin, maxPaste+1))
		if err != nil {
			return err
		}
		if len(data) > maxPaste {
			return usagef("without --paste it is typed as it comes", "more than %d MiB to paste", maxPaste>>20)
		}
		return a.eng.Paste(ctx, id, data)
	}
	return pump(readahead.New(a.stdin), func(p []byte) error { return a.eng.Write(ctx, id, p) })
}

// pump gives what r has to write, as it comes, until its end.
func pump(r io.Reader, write func([]byte) error) error {
	buf := make([]byte, mostAtOnce)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if err := write(buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// pressEnter ends a line: with the key where there is a terminal, else with a
// line feed.
func (a *app) pressEnter(ctx context.Context, job engine.Job) error {
	if job.HasTerminal() {
		return a.eng.SendKeys(ctx, job.ID, []string{"Enter"})
	}
	return a.eng.Write(ctx, job.ID, []byte(lineEnd(job)))
}

// lineEnd is what ends a typed line.
func lineEnd(job engine.Job) string {
	if job.HasTerminal() {
		return "\r"
	}
	return "\n"
}

// mostAtOnce is how much input is passed on at once: on a host that is far away each
// time costs a round trip.
const mostAtOnce = 4 << 20
