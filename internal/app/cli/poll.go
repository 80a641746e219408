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
		GroupID: groupRead,
		Short:   "Prints the output since the last poll, and the status",
		Long: "Prints what a job has printed since the last poll, and how it stands: each byte\n" +
			"comes once for each --client. hob log reads without being counted.",
		Example:           "hob poll --wait 10s @\nhob poll --cursor 0 --json @",
		Args:              words(1, 1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.poll(cmd.Context(), args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.Var(durationFlag(&f.wait), "wait", "wait that long for output or the end")
	flags.Var(countFlag(&f.cursor), "cursor", "read from this byte on and remember nothing")
	flags.Var(wordFlag(&f.client), "client", "whose last poll it is that counts")
	flags.BoolVar(&f.raw, "raw", false, "print the bytes as they are, escape sequences too")
	a.jsonFlag(cmd)
	return cmd
}

// pollJSON is the JSON form of a poll.
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
	// What cannot be written does not count as read: not even for a reader that has
	// gone: a failed write reports that then, not a signal that ends hob.
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
		err = a.eng.PollTo(ctx, job.ID, f.client, f.wait, show)
	}
	if errors.Is(err, engine.ErrUnkept) {
		a.reportf("%v: the next poll prints it again; with --cursor nothing has to be recorded", err)
		return nil
	}
	return noLog(job, err)
}

// pollFrom gives show all that comes from the cursor on.
func (a *app) pollFrom(ctx context.Context, id engine.ID, f pollFlags, show func(*engine.Poll) error) error {
	for cursor, wait := f.cursor, f.wait; ; wait = 0 {
		p, err := a.eng.PollAt(ctx, id, cursor, wait)
		if err == nil {
			err = show(&p)
		}
		if err != nil || !p.More {
			return err
		}
		cursor = p.Cursor
	}
}

// pollText prints pieces as they come, and how the job stands behind the last.
func (a *app) pollText(text func(p []byte, last bool) []byte) func(*engine.Poll) error {
	return func(p *engine.Poll) error {
		if p.Dropped > 0 {
			a.reportf("%s dropped by the log's limit", units.FormatBytes(p.Dropped))
		}
		if _, err := a.stdout.Write(text(p.Output, !p.More)); err != nil {
			return unwritten(err)
		}
		if !p.More {
			glyph, word, st := a.badges(time.Now()).of(p.Job)
			a.reportf("%s %s", a.paintErr(glyph+" "+word, st), p.Job.ID)
		}
		return nil
	}
}

// unwritten is why nothing could be written, of a reader that has gone the code
// that says so.
func unwritten(err error) error {
	if isBrokenPipe(err) {
		return exitStatus(exitNoReader)
	}
	return err
}

// pollJSON prints all pieces as one object.
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
			return unwritten(err)
		}
		return nil
	}
}

// maxLine bounds what a cleaner keeps of a line whose end has not come.
const maxLine = 1 << 20

// A cleaner makes text of output that comes in pieces: what a terminal would show
// of it, line by line. Nothing in it can act on a terminal: only a job that is
// attached may drive the person's. The zero value is ready.
type cleaner struct{ rest []byte }

// clean is the text of p. With last set nothing more comes; else the last line is
// kept until its end comes.
func (c *cleaner) clean(p []byte, last bool) []byte {
	p = append(c.rest, p...)
	c.rest = nil
	if end := bytes.LastIndexByte(p, '\n') + 1; !last && len(p)-end < maxLine {
		p, c.rest = p[:end], p[end:]
	}
	return logfile.Text(p)
}
