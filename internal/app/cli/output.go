package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	"github.com/charmbracelet/x/term"

	"github.com/hobjobs/hob/engine"
)

// style is a rendition of text in the terminal's own sixteen colours.
type style string

const (
	styleGood style = "32"
	styleBad  style = "31"
	styleWarn style = "33"
	styleDim  style = "2"
	styleBold style = "1"
)

// parseColor reads when output is coloured.
func parseColor(s string) (string, error) {
	switch s {
	case "auto", "always", "never":
		return s, nil
	}
	return "", fmt.Errorf("%q is not auto, always or never", s)
}

// colored reports whether what goes to f is coloured: --color first, then
// NO_COLOR and CLICOLOR_FORCE, else whether f is a terminal that can.
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

// hasScreen reports whether f is a terminal that can be drawn on. One that reports it
// is dumb shows what comes as it is, as a file does.
func hasScreen(f *os.File) bool { return isTerminal(f) && os.Getenv("TERM") != "dumb" }

// terminalSize is the size of the terminal that f is; zero when it is none.
func terminalSize(f *os.File) engine.Size {
	w, h, err := term.GetSize(f.Fd())
	if err != nil || w <= 0 || h <= 0 {
		return engine.Size{}
	}
	return engine.Size{Cols: w, Rows: h}
}

// callerSize is the size of the terminal that we were started on, wherever our
// standard streams go; zero where there is none.
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

// printJob writes one job as JSON on one line.
func (a *app) printJob(j engine.Job) error {
	p, err := j.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(append(safeJSON(p), '\n'))
	return err
}

// printJobs writes an array of jobs, one a line. The elements are encoded one by
// one: encoding/json would check each a second time.
func (a *app) printJobs(jobs []engine.Job) error {
	w := bufio.NewWriterSize(a.stdout, 64<<10)
	w.WriteByte('[')
	for i, j := range jobs {
		p, err := j.MarshalJSON()
		if err != nil {
			return err
		}
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteByte('\n')
		w.Write(safeJSON(bytes.TrimSpace(p)))
	}
	if len(jobs) > 0 {
		w.WriteByte('\n')
	}
	w.WriteString("]\n")
	return w.Flush()
}
