package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// style is an SGR parameter that selects one of the terminal's sixteen colors or a weight.
type style string

const (
	styleGood style = "32"
	styleBad  style = "31"
	styleWarn style = "33"
	styleDim  style = "2"
	styleBold style = "1"
)

func parseColor(s string) (string, error) {
	switch s {
	case "auto", "always", "never":
		return s, nil
	}
	return "", errors.New("use auto, always or never")
}

// colored reports whether to use color on f, from --color, NO_COLOR, CLICOLOR_FORCE, or else
// whether f is a terminal.
func (a *app) colored(f *os.File) bool {
	switch {
	case a.color == "always":
		return true
	case a.color == "never", os.Getenv("NO_COLOR") != "":
		return false
	}
	if v := os.Getenv("CLICOLOR_FORCE"); v != "" && v != "0" {
		return true
	}
	return hasScreen(f)
}

func paint(on bool, s string, st style) string {
	if !on || st == "" || s == "" {
		return s
	}
	return "\x1b[" + string(st) + "m" + s + "\x1b[m"
}

func (a *app) paintErr(s string, st style) string { return paint(a.colored(a.stderr), s, st) }

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(f.Fd()) }

// hasScreen reports whether f is a terminal that understands escape sequences, that is, TERM
// is not "dumb".
func hasScreen(f *os.File) bool { return isTerminal(f) && os.Getenv("TERM") != "dumb" }

// terminalSize returns the size of the terminal f, the zero Size if f is not a terminal.
func terminalSize(f *os.File) engine.Size {
	w, h, err := term.GetSize(f.Fd())
	if err != nil || w <= 0 || h <= 0 {
		return engine.Size{}
	}
	return engine.Size{Cols: w, Rows: h}
}

// callerSize returns the size of the controlling terminal, even if the standard streams are
// redirected, or the zero Size if there is none.
func (a *app) callerSize() engine.Size {
	for _, f := range []*os.File{a.stdout, a.stderr, a.stdin} {
		if size := terminalSize(f); size != (engine.Size{}) {
			return size
		}
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return engine.Size{}
	}
	defer tty.Close()
	return terminalSize(tty)
}

// reportf prints a line for the user on standard error.
func (a *app) reportf(format string, args ...any) {
	fmt.Fprintf(a.stderr, format+"\n", args...)
}

// printJSON writes v on one line.
func (a *app) printJSON(v any) error {
	return encodeJSON(a.stdout, v)
}

// printJobs writes an array of jobs. It encodes them one by one, because encoding/json would validate each a second
// time.
func (a *app) printJobs(jobs []engine.Job) error {
	return printArray(a.stdout, len(jobs), func(i int) ([]byte, error) { return jobs[i].MarshalJSON() })
}

// printArray writes an array of n objects to to, one on each line.
func printArray(to io.Writer, n int, object func(i int) ([]byte, error)) error {
	w := bufio.NewWriterSize(to, 64<<10)
	w.WriteByte('[')
	for i := range n {
		p, err := object(i)
		if err != nil {
			return err
		}
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteByte('\n')
		w.Write(cells.EscapeJSON(bytes.TrimSpace(p)))
	}
	if n > 0 {
		w.WriteByte('\n')
	}
	w.WriteString("]\n")
	return w.Flush()
}

func printLines[T ~string](a *app, lines []T) error {
	w := bufio.NewWriter(a.stdout)
	for _, line := range lines {
		w.WriteString(string(line) + "\n")
	}
	return w.Flush()
}

// printChanged ends a command that has changed jobs: with --json it prints them as they are now.
func (a *app) printChanged(ctx context.Context, jobs []engine.Job, err error) error {
	if err != nil || !a.json {
		return err
	}
	return a.printJobs(a.refresh(ctx, jobs...))
}

// escape makes s safe to print on one line.
func escape(s string) string { return cells.Escape(s) }

// encodeJSON writes v on one line as JSON that is safe to print: it also escapes control
// characters that encoding/json does not.
func encodeJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(cells.EscapeJSON(buf.Bytes()))
	return err
}

// A badger shows the status of a job as a glyph and a word, the same as in the UI, and
// returns the style of both.
type badger struct {
	styles *themes.Styles
	now    time.Time
}

func (a *app) badges(now time.Time) badger {
	return badger{&themes.Styles{Glyphs: a.glyphs()}, now}
}

// glyphs returns the signs that the terminal can show.
func (a *app) glyphs() themes.Glyphs {
	if a.ascii {
		return themes.ASCII()
	}
	return themes.Unicode()
}

func (b badger) of(j engine.Job) (glyph, word string, st style) {
	word = statusbadge.Word(j)
	state := statusbadge.StateOf(j)
	if state == statusbadge.Stopping && !j.StopDeadline().IsZero() {
		word += " " + units.FormatDuration(j.StopDeadline().Sub(b.now)+time.Second-1)
	}
	return statusbadge.Glyph(b.styles, j), word, styleOf(j)
}

// styleOf returns the style of a job's badge. A failure that the user has seen is dim.
func styleOf(j engine.Job) style {
	if j.Seen {
		return styleDim
	}
	switch statusbadge.StateOf(j) {
	case statusbadge.Waiting, statusbadge.Paused, statusbadge.Stopping:
		return styleWarn
	case statusbadge.Restarting:
		if statusbadge.Loops(j) {
			return styleBad
		}
		return styleWarn
	case statusbadge.Lost, statusbadge.Failed, statusbadge.Unhealthy:
		return styleBad
	case statusbadge.Queued, statusbadge.Stale, statusbadge.Starting, statusbadge.Stopped:
		return styleDim
	case statusbadge.Running, statusbadge.Done:
	}
	return styleGood
}

// endWord is how a job ended in one word for scripts: the code, the signal or a
// dash.
func endWord(j engine.Job) string {
	exit, ok := j.Ended()
	switch {
	case !ok:
		return "-"
	case exit.Signal != "":
		return exit.Signal
	case exit.Code != nil:
		return strconv.Itoa(*exit.Code)
	}
	return "-"
}

// ownCode is the code that run, attach and wait end with for a finished job.
func ownCode(exit engine.Exit) int {
	switch {
	case exit.Status == engine.Lost, exit.Code == nil:
		return exitHob
	}
	return *exit.Code
}
