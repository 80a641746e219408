package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

type pollFlags struct {
	wait   durationFlag
	cursor int64
	client string
	raw    bool
}

func (a *app) pollCommand() *cobra.Command {
	f := pollFlags{cursor: -1, client: "cli"}
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
	flags.Var(&f.wait, "wait", "wait that long for output or the end")
	flags.Var((*countFlag)(&f.cursor), "cursor", "read from this byte on and remember nothing")
	flags.StringVar(&f.client, "client", f.client, "whose last poll it is that counts")
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
	eng, err := a.engine()
	if err != nil {
		return err
	}
	job, err := a.find(ctx, eng, ref, engine.Read)
	if err != nil {
		return err
	}
	if err := a.connectTo(ctx, job.Host); err != nil {
		return err
	}
	next := func(wait time.Duration) (engine.Poll, error) {
		return eng.Poll(ctx, job.ID, f.client, wait)
	}
	// What cannot be written does not count as read: not even for a reader that has
	// gone, of which a failed write tells then instead of a signal that ends hob.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	unread := func(p engine.Poll) error { return eng.Unpoll(job.ID, f.client, p) }
	if f.cursor >= 0 {
		unread = func(engine.Poll) error { return nil }
		cursor := f.cursor
		next = func(wait time.Duration) (engine.Poll, error) {
			p, err := eng.PollAt(ctx, job.ID, cursor, wait)
			cursor = p.Cursor
			return p, err
		}
	}
	text := new(cleaner).clean
	if f.raw {
		text = func(p []byte, _ bool) []byte { return p }
	}
	if a.json {
		return noLog(job, a.pollJSON(f.wait.d, next, unread, text))
	}
	p, err := next(f.wait.d)
	for ; err == nil; p, err = next(0) {
		if p.Dropped > 0 {
			a.sayf("%s dropped by the log's limit", units.FormatBytes(p.Dropped))
		}
		if _, err := a.stdout.Write(text(p.Output, !p.More)); err != nil {
			return errors.Join(unwritten(err), unread(p))
		}
		if !p.More {
			glyph, word, st := a.badges(time.Now()).of(p.Job)
			a.sayf("%s %s", a.paintErr(glyph+" "+word, st), p.Job.ID)
			return nil
		}
	}
	// What was read counts as read.
	_, werr := a.stdout.Write(text(nil, true))
	return errors.Join(noLog(job, err), werr)
}

// unwritten is why nothing could be written, of a reader that has gone the code
// that says so.
func unwritten(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return exitStatus(exitNoReader)
	}
	return err
}

// pollJSON prints all there is as one object; unread takes back what was taken for
// that, the last first.
func (a *app) pollJSON(wait time.Duration, next func(time.Duration) (engine.Poll, error), unread func(engine.Poll) error, text func(p []byte, last bool) []byte) error {
	var taken []engine.Poll
	var output []byte
	var dropped int64
	back := func(err error) error {
		for _, p := range slices.Backward(taken) {
			err = errors.Join(err, unread(p))
		}
		return err
	}
	for {
		p, err := next(wait)
		if err != nil {
			return back(err)
		}
		taken = append(taken, p)
		output = append(output, p.Output...)
		dropped += p.Dropped
		taken[len(taken)-1].Output = nil
		if !p.More {
			if err := a.printJSON(pollJSON{p.Job, string(text(output, true)), p.Cursor, dropped}); err != nil {
				return back(unwritten(err))
			}
			return nil
		}
		wait = 0
	}
}
