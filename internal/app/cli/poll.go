package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/units"
)

type pollFlags struct {
	wait   time.Duration
	cursor int64
	client string
	raw    bool
}

func (a *app) pollCommand() *cobra.Command {
	f := pollFlags{cursor: notGiven, client: "cli"}
	cmd := &cobra.Command{
		Use:     "poll ID",
		GroupID: groupInspect,
		Short:   "Print new output and the status",
		Long: "Print a job's output since the last poll, and its status. The position is\n" +
			"remembered for each --client; hob log does not move it.",
		Example:           "hob poll --wait 10s @\nhob poll --cursor 0 --json @",
		Args:              argCount(1, 1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.poll(cmd.Context(), args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.Var(durationFlag(&f.wait), "wait", "wait this long for output or the end")
	flags.Var(countFlag(&f.cursor), "cursor", "read from byte N; do not update the position")
	flags.Var(nonEmptyFlag(&f.client, "NAME"), "client", "remember the position under NAME")
	flags.BoolVar(&f.raw, "raw", false, "print the raw bytes, with escape sequences")
	a.jsonFlag(cmd)
	return cmd
}

type pollJSON struct {
	Job     engine.Job `json:"job"`
	Output  string     `json:"output"`
	Cursor  int64      `json:"cursor"`
	Dropped int64      `json:"dropped"`
}

func (a *app) poll(ctx context.Context, ref string, f pollFlags) error {
	job, err := a.find(ctx, ref, engine.Read)
	if err != nil {
		return err
	}
	if err := a.connectFor(ctx, job); err != nil {
		return err
	}
	// Output that cannot be written does not count as read. For that a write to a broken
	// pipe has to return an error instead of ending hob.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	text := new(cleaner).clean
	if f.raw {
		text = func(p []byte, _ bool) []byte { return p }
	}
	show := a.pollText(text)
	if a.json {
		show = a.pollJSON(text)
	}
	if f.cursor >= 0 {
		err = a.pollFrom(ctx, job.ID, f, show)
	} else {
		_, err = a.eng.Handle(job.ID).Poll(ctx, engine.PollOptions{Client: f.client, Wait: f.wait, Deliver: show})
	}
	if errors.Is(err, engine.ErrUnkept) {
		a.reportf("%v: the next poll prints this output again. Use --cursor to poll without recording a position", err)
		return nil
	}
	return noLog(job, err)
}

// pollFrom passes all output from the cursor on to show.
func (a *app) pollFrom(ctx context.Context, id engine.ID, f pollFlags, show func(*engine.Poll) error) error {
	for cursor, wait := f.cursor, f.wait; ; wait = 0 {
		p, err := a.eng.Handle(id).Poll(ctx, engine.PollOptions{Cursor: &cursor, Wait: wait})
		if err == nil {
			err = show(&p)
		}
		if err != nil || !p.More {
			return err
		}
		cursor = p.Cursor
	}
}

// pollText returns a function that prints each piece, and the job's status after the last.
func (a *app) pollText(text func(p []byte, last bool) []byte) func(*engine.Poll) error {
	return func(p *engine.Poll) error {
		if p.Dropped > 0 {
			a.reportf("%s dropped by the log limit", units.FormatBytes(p.Dropped))
		}
		if _, err := a.stdout.Write(text(p.Output, !p.More)); err != nil {
			return writeError(err)
		}
		if !p.More {
			glyph, word, st := a.badges(time.Now()).of(p.Job)
			a.reportf("%s %s", a.paintErr(glyph+" "+word, st), p.Job.ID)
		}
		return nil
	}
}

// writeError returns the error of a write to standard output. For a broken pipe that is
// the exit status of a program killed by SIGPIPE.
func writeError(err error) error {
	if isBrokenPipe(err) {
		return exitStatus(exitNoReader)
	}
	return err
}

// pollJSON returns a function that prints all pieces as one object.
func (a *app) pollJSON(text func(p []byte, last bool) []byte) func(*engine.Poll) error {
	var output []byte
	var dropped int64
	return func(p *engine.Poll) error {
		output = append(output, p.Output...)
		dropped += p.Dropped
		if p.More {
			return nil
		}
		if err := a.printJSON(pollJSON{p.Job, string(text(output, true)), p.Cursor, dropped}); err != nil {
			return writeError(err)
		}
		return nil
	}
}

// maxLine limits how much of an incomplete line a cleaner buffers.
const maxLine = 1 << 20

// A cleaner converts output that arrives in pieces to text: the lines that a terminal would
// show. It removes everything that could act on the user's terminal, which only an
// attached job may do. The zero value is ready to use.
type cleaner struct{ rest []byte }

// clean returns the text of p. Unless last is set, an incomplete last line is buffered.
func (c *cleaner) clean(p []byte, last bool) []byte {
	p = append(c.rest, p...)
	c.rest = nil
	if end := bytes.LastIndexByte(p, '\n') + 1; !last && len(p)-end < maxLine {
		p, c.rest = p[:end], p[end:]
	}
	return logfile.Text(p)
}
