package ui

import (
	"bytes"
	"io"
	"iter"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// The renderer of Bubble Tea keeps a screen of cells whose style knows no
// overline (SGR 53), and drops it. So that what a job draws is seen as it was
// drawn, overline goes through the renderer as two attributes that it does keep,
// rapid blink and concealed together: a frame is rewritten on its way in
// ([carryOverline]), what the renderer writes on its way out ([overlineWriter]).
// No frame of ours has rapid blink of its own. Concealed is there because the
// renderer takes blanks that only blink for blanks that can be erased.
//
// A pane in another program does without: only an App has both ends.

// carryOverline returns a frame in which text with an overline has what carries
// it. Concealed text stays concealed, without its overline.
func carryOverline(frame string) string {
	if !bytes.Contains([]byte(frame), []byte("53")) {
		return frame
	}
	return string(rewriteSGR([]byte(frame), func(b, params []byte) ([]byte, bool) {
		var over, concealed bool
		for p := range attributes(params) {
			over = over || string(p) == "53"
			concealed = concealed || string(p) == "8"
		}
		if !over {
			return b, false
		}
		b = append(b, "\x1b["...)
		for p := range attributes(params) {
			if string(p) != "53" {
				b = append(append(b, p...), ';')
			}
		}
		if !concealed {
			b = append(b, "6;8;"...)
		}
		return closeSGR(b), true
	}))
}

// rewriteSGR returns out with its SGR sequences (CSI parameters m) rewritten: f
// appends what is to stand in the place of one, or says that it stays.
func rewriteSGR(out []byte, f func(b, params []byte) ([]byte, bool)) []byte {
	var b []byte
	done := 0 // what of out is in b
	for at := 0; ; {
		i := bytes.Index(out[at:], []byte("\x1b["))
		if i < 0 {
			break
		}
		start := at + i
		for at = start + 2; at < len(out) && (out[at] >= '0' && out[at] <= '9' || out[at] == ';' || out[at] == ':'); at++ {
		}
		if at == len(out) || out[at] != 'm' {
			continue
		}
		kept := len(b)
		b = append(b, out[done:start]...)
		var ok bool
		if b, ok = f(b, out[start+2:at]); !ok {
			b = b[:kept]
			continue
		}
		done = at + 1
	}
	if done == 0 {
		return out
	}
	return append(b, out[done:]...)
}

// closeSGR ends a sequence of which every parameter has its semicolon.
func closeSGR(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte(";"))
	return append(b, 'm')
}

// attributes are those of the parameters of an SGR sequence; a colour is one with
// all that belongs to it.
func attributes(params []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for more := true; more; {
			var p []byte
			n := 1
			switch {
			case hasAnyPrefix(params, "38;5;", "48;5;", "58;5;"):
				n = 3
			case hasAnyPrefix(params, "38;2;", "48;2;", "58;2;"):
				n = 5
			}
			end := 0
			for ; n > 0 && more; n-- {
				i := bytes.IndexByte(params[end:], ';')
				if more = i >= 0; !more {
					end = len(params) + 1
					break
				}
				end += i + 1
			}
			p, params = params[:end-1], params[min(end, len(params)):]
			if !yield(p) {
				return
			}
		}
	}
}

func hasAnyPrefix(b []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if len(b) >= len(p) && string(b[:len(p)]) == p {
			return true
		}
	}
	return false
}

// overlineWriter is the terminal as the renderer writes to it: it turns what
// carries an overline back into one. It takes whole sequences with each Write,
// from one goroutine at a time.
type overlineWriter struct {
	io.Writer
	asked struct{ rapid, concealed bool } // what the renderer has set
	shown struct{ over, concealed bool }  // what the terminal has
}

// overlineTerminal is an overlineWriter on a terminal, whose size and modes the
// program asks for.
type overlineTerminal struct {
	*overlineWriter
	file term.File
}

// withOverline returns out as the renderer is to write to it.
func withOverline(out io.Writer) io.Writer {
	w := &overlineWriter{Writer: out}
	if f, ok := out.(term.File); ok {
		return &overlineTerminal{w, f}
	}
	return w
}

// onTerminal is a program that gets the terminal itself for a while.
type onTerminal struct {
	tea.ExecCommand
	out io.Writer
}

// SetStdout implements [tea.ExecCommand].
func (c onTerminal) SetStdout(io.Writer) { c.ExecCommand.SetStdout(c.out) }

func (t *overlineTerminal) Read(p []byte) (int, error) { return t.file.Read(p) }
func (t *overlineTerminal) Close() error               { return t.file.Close() }
func (t *overlineTerminal) Fd() uintptr                { return t.file.Fd() }

// Write writes p, and reports all of it as written or none.
func (w *overlineWriter) Write(p []byte) (int, error) {
	if _, err := w.Writer.Write(rewriteSGR(p, w.restore)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// restore appends a sequence of the renderer as the terminal gets it.
func (w *overlineWriter) restore(b, params []byte) ([]byte, bool) {
	before := w.asked
	touched := false
	for p := range attributes(params) {
		switch string(p) {
		case "6":
			w.asked.rapid, touched = true, true
		case "8":
			w.asked.concealed, touched = true, true
		case "25":
			w.asked.rapid = false
		case "28":
			w.asked.concealed, touched = false, true
		case "", "0":
			w.asked.rapid, w.asked.concealed = false, false
			w.shown.over, w.shown.concealed = false, false
		}
	}
	if !touched && w.asked == before {
		return b, false
	}
	start := len(b)
	b = append(b, "\x1b["...)
	for p := range attributes(params) {
		switch string(p) {
		case "6", "8", "28":
		default:
			b = append(append(b, p...), ';')
		}
	}
	over := w.asked.rapid && w.asked.concealed
	concealed := w.asked.concealed && !over
	if over != w.shown.over {
		b = append(b, map[bool]string{true: "53;", false: "55;"}[over]...)
	}
	if concealed != w.shown.concealed {
		b = append(b, map[bool]string{true: "8;", false: "28;"}[concealed]...)
	}
	w.shown.over, w.shown.concealed = over, concealed
	if len(b) == start+2 { // without parameters it would reset all
		return b[:start], true
	}
	return closeSGR(b), true
}
