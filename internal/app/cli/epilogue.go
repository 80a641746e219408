package cli

import (
	"bufio"
	"context"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/internal/vt"
)

const (
	// epilogueLines is how many lines of a job that ended in the foreground are
	// printed: enough for a person's scrollback.
	epilogueLines = 5000
	// epilogueBytes is how much of the end of a log they are looked for in.
	epilogueBytes = 32 << 20
)

// epilogue prints the output of a job that ended in the foreground on the normal
// screen, as if hob had not been there: what its own terminal would still show
// of it, in colours, screen after screen.
func (a *app) epilogue(ctx context.Context, job engine.Job) error {
	lines, total, err := a.outputLines(ctx, job, epilogueBytes)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(a.stdout)
	colored := a.colored(a.stdout)
	for _, l := range lines[max(len(lines)-epilogueLines, 0):] {
		if !colored {
			l = vt.Strip(l)
		}
		w.WriteString(l)
		w.WriteByte('\n')
	}
	if more := total - epilogueLines; more > 0 { // last, where it is seen
		note := "[… " + plural(int(more), "line", "lines") + " before these: hob log --offset 0 " + string(job.ID) + " or " + job.OutputPath + "]"
		w.WriteString(paint(colored, note, styleDim) + "\n")
	}
	return w.Flush()
}

// outputLines are the last lines of what a job left on the main screen of its
// terminal and above it, styled, and how many lines there were in all. At most
// limit bytes at the end of its log are looked at.
func (a *app) outputLines(ctx context.Context, job engine.Job, limit int64) (lines []string, total int64, err error) {
	log, err := a.eng.OpenLog(ctx, job.ID, job.Streams()[0])
	if err != nil {
		return nil, 0, err
	}
	defer log.Close()
	size, err := log.Size(ctx)
	if err != nil {
		return nil, 0, err
	}
	cols, rows := job.Size.Cols, job.Size.Rows
	if cols <= 0 || rows <= 0 {
		cols, rows = 120, 40
	}
	term := vt.New(cols, rows, vt.WithScrollback(2*int(units.MiB)+int(min(2*size, 2*limit))))
	if !job.HasTerminal() {
		// Without a line discipline there is no carriage return before each line
		// feed: the emulator is to do so.
		_, _ = term.Write([]byte("\x1b[20h")) // it never fails
	}
	all := pipe{log: log, out: term, next: max(size-limit, 0)}
	if err := all.copy(ctx); err != nil {
		return nil, 0, err
	}
	if text := strings.TrimRight(term.MainANSI(), "\n"); text != "" {
		lines = strings.Split(text, "\n")
	}
	if size <= limit {
		return lines, int64(len(lines)), nil
	}
	total, err = log.CountLines(ctx)
	return lines, total, err
}
