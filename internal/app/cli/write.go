package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/readahead"
	"github.com/hobjobs/hob/internal/shellword"
)

// maxPaste is the maximum size of a paste, which is read into memory.
const maxPaste = 16 << 20

type writeFlags struct {
	enter, paste, keys, eof bool
}

func (a *app) writeCommand() *cobra.Command {
	var f writeFlags
	cmd := &cobra.Command{
		Use:     "write ID [DATA]",
		GroupID: groupInteract,
		Short:   "Type into a job",
		Long: "Send DATA to a job's input as it is; - reads DATA from stdin. With --keys, the\n" +
			"arguments are key names as in tmux: C-c Up F5 M-x Enter. An argument that is not a\n" +
			"key name is typed as text.",
		Example:           "hob write @ yes --enter\nhob write --keys @ C-c\ngit diff | hob write --paste --eof @ -",
		Args:              argCount(1, -1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.write(cmd.Context(), args[0], args[1:], f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.enter, "enter", false, "press Enter after it")
	flags.BoolVar(&f.paste, "paste", false, "send it as a paste (bracketed if the job supports that)")
	flags.BoolVar(&f.keys, "keys", false, "the arguments after ID are key names")
	flags.BoolVar(&f.eof, "eof", false, "close the job's input after it")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) write(ctx context.Context, ref string, data []string, f writeFlags) error {
	switch {
	case f.keys && f.paste:
		return usagef("run hob write twice", "--keys cannot be combined with --paste")
	case f.keys && len(data) == 0:
		return usagef("for example: hob write --keys "+shellword.Quote(ref)+" C-c", "missing key names")
	case !f.keys && len(data) > 1:
		return usagef("quote it: hob write "+shellword.Quote(ref)+" "+shellword.Quote(strings.Join(data, " ")), "expected one DATA argument, got %d", len(data))
	case len(data) == 0 && !f.enter && !f.eof:
		return usagef("add DATA, --keys, --enter or --eof", "nothing to write")
	}
	job, err := a.find(ctx, ref, engine.Act)
	if err != nil {
		return err
	}
	enter := f.enter
	switch {
	case f.keys:
		err = a.eng.Handle(job.ID).SendKeys(ctx, data)
	case len(data) == 0:
	case data[0] == "-":
		err = a.writeStdin(ctx, job.ID, f.paste)
	case f.paste:
		err = a.eng.Handle(job.ID).Paste(ctx, []byte(data[0]))
	default:
		line := data[0]
		if enter { // in one write, so that input from other clients cannot come in between
			line, enter = line+lineEnd(job), false
		}
		err = a.eng.Handle(job.ID).Write(ctx, []byte(line))
	}
	if err == nil && enter {
		err = a.pressEnter(ctx, job)
	}
	if err == nil && f.eof {
		err = a.eng.Handle(job.ID).CloseInput(ctx)
	}
	if err == nil && isUnentered(job, data, f) {
		a.reportf("%s reads lines, and nothing was entered yet. Press Enter: hob write --enter %[1]s", job.ID)
	}
	if err != nil || !a.json {
		return hasEnded(job, err)
	}
	return a.printJSON(a.refresh(ctx, job)[0])
}

// isUnentered reports whether the job's terminal holds the text back until the line is complete.
func isUnentered(job engine.Job, data []string, f writeFlags) bool {
	completes := f.enter || f.eof || f.keys
	if completes || job.Entry == engine.EntryUnknown {
		return false
	}
	text := data[0]
	return text != "-" && strings.TrimRight(text, "\r\n") == text
}

// writeStdin forwards standard input to the job as it arrives, or as one paste.
func (a *app) writeStdin(ctx context.Context, id engine.ID, paste bool) error {
	if paste {
		data, err := io.ReadAll(io.LimitReader(a.stdin, maxPaste+1))
		if err != nil {
			return err
		}
		if len(data) > maxPaste {
			return usagef("remove --paste to send it as it arrives", "cannot paste more than %d MiB", maxPaste>>20)
		}
		return a.eng.Handle(id).Paste(ctx, data)
	}
	ahead := readahead.New(a.stdin)
	defer ahead.Close()
	return pump(ahead, func(p []byte) error { return a.eng.Handle(id).Write(ctx, p) })
}

// pump passes the bytes of r to write as they arrive, until EOF.
func pump(r io.Reader, write func([]byte) error) error {
	buf := make([]byte, maxInputChunk)
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

// pressEnter ends a line of input: with the Enter key if the job has a terminal, or else
// with a line feed.
func (a *app) pressEnter(ctx context.Context, job engine.Job) error {
	if job.HasTerminal() {
		return a.eng.Handle(job.ID).SendKeys(ctx, []string{"Enter"})
	}
	return a.eng.Handle(job.ID).Write(ctx, []byte(lineEnd(job)))
}

// lineEnd returns the bytes that end a line of the job's input.
func lineEnd(job engine.Job) string {
	if job.HasTerminal() {
		return "\r"
	}
	return "\n"
}

// maxInputChunk is the size of one write of input. It is large because each write to a job
// on a host costs a round trip.
const maxInputChunk = 4 << 20
