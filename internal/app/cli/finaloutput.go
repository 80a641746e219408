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
	// finalLines is the maximum number of lines printed when a job ends in the foreground,
	// enough to fill a terminal's scrollback.
	finalLines = 5000
	// finalBytes is how much of the end of the log is read for them.
	finalBytes = 32 << 20
)

// printFinal prints the output of a job that ended in the foreground, as it would be on the
// main screen and in the scrollback if the job had run without hob.
func (a *app) printFinal(ctx context.Context, job engine.Job) error {
	lines, total, err := a.outputLines(ctx, job)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(a.stdout)
	colored := a.colored(a.stdout)
	for _, l := range lines[max(len(lines)-finalLines, 0):] {
		if !colored {
			l = vt.Strip(l)
		}
		w.WriteString(l)
		w.WriteByte('\n')
	}
	if more := total - finalLines; more > 0 { // at the end, where it is visible
		note := "[… " + units.Count(int(more), "earlier line") + ": hob log --offset 0 " + string(job.ID) + " or " + job.OutputPath + "]"
		w.WriteString(paint(colored, note, styleDim) + "\n")
	}
	return w.Flush()
}

// outputLines returns the last lines of a job's main screen and scrollback, styled, and the
// total number of lines. It reads at most finalBytes of the log.
func (a *app) outputLines(ctx context.Context, job engine.Job) (lines []string, total int64, err error) {
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
	term := vt.New(cols, rows, vt.WithScrollback(2*int(units.MiB)+int(2*min(size, finalBytes))))
	if !job.HasTerminal() {
		// Without a terminal no carriage return was added before each line feed, so the
		// emulator has to do that.
		_, _ = term.Write([]byte("\x1b[20h")) // never fails
	}
	all := pipe{log: log, out: term, next: max(size-finalBytes, 0)}
	if err := all.copy(ctx); err != nil {
		return nil, 0, err
	}
	if text := strings.TrimRight(term.MainANSI(), "\n"); text != "" {
		lines = strings.Split(text, "\n")
	}
	if size <= finalBytes {
		return lines, int64(len(lines)), nil
	}
	total, err = log.CountLines(ctx)
	return lines, total, err
}
