package cli

import (
	"bytes"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/internal/termstatus"
	"github.com/hobjobs/hob/internal/vt"
)

// ownTerminal queries the user's terminal for what a job may ask: colors and the kitty
// keyboard protocol. It removes the answers from the input. Its methods may be called
// concurrently.
type ownTerminal struct {
	asked time.Time
	known chan struct{} // closed when all answers have arrived

	mu       sync.Mutex // guards the fields below
	facts    engine.TerminalFacts
	status   bool    // it keeps reports of programs
	colors   [2]bool // foreground and background have been reported
	held     []byte  // input that may be the beginning of an answer
	late     bool    // an escape is more likely a key than an answer
	answered bool    // all answers have arrived
}

const ownQuestions = ansi.RequestForegroundColor + ansi.RequestBackgroundColor + ansi.RequestKittyKeyboard

// askOwnTerminal sends the queries, at last one that every terminal answers. With status it also asks whether the
// terminal keeps reports of programs.
func askOwnTerminal(out *os.File, status bool) (*ownTerminal, error) {
	questions := ownQuestions
	if status {
		questions += termstatus.Query
	}
	o := &ownTerminal{asked: time.Now(), known: make(chan struct{})}
	_, err := out.WriteString(questions + ansi.RequestPrimaryDeviceAttributes)
	return o, err
}

// typed returns p without the answers. known is true when p has the last answer.
func (o *ownTerminal) typed(p []byte) (typed []byte, known bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.answered {
		return p, false
	}
	p = append(o.held, p...)
	o.held = nil
	for len(p) > 0 && !o.answered {
		at := bytes.IndexByte(p, 0x1b)
		if at < 0 {
			break
		}
		typed, p = append(typed, p[:at]...), p[at:]
		seq, whole := firstSequence(p)
		isKey := o.late && len(p) == 1
		if !whole && len(seq) <= maxAnswer && !isKey {
			o.held = p
			return typed, false
		}
		if !o.note(seq) {
			typed = append(typed, seq...)
		}
		p = p[len(seq):]
	}
	return append(typed, p...), o.answered
}

// maxAnswer is the length up to which an incomplete sequence may be the beginning of an answer.
const maxAnswer = 72

// firstSequence returns the escape sequence at the beginning of p, and whether it is complete or aborted.
func firstSequence(p []byte) (seq []byte, whole bool) {
	var scan vt.Scanner
	n, whole := scan.Next(p)
	if scan.Reset() { // the last byte begins another one
		n--
	}
	return p[:n], whole
}

// note stores one answer; it returns false for another sequence. The caller holds o.mu.
func (o *ownTerminal) note(seq []byte) bool {
	switch final, isReport := privateReport(seq); {
	case isReport && final == 'u':
		o.facts.KittyKeyboard = true
		return true
	case isReport && final == 'c':
		o.answered = true
		close(o.known)
		return true
	case termstatus.IsAnswer(seq):
		o.status = true
		return true
	}
	for i, begin := range []string{"\x1b]10;", "\x1b]11;"} {
		rest, found := bytes.CutPrefix(seq, []byte(begin))
		text, ended := cutStringEnd(rest)
		if !found || !ended {
			continue
		}
		if c := ansi.XParseColor(string(text)); c != nil {
			o.colors[i] = true
			*[]*[3]uint8{&o.facts.Foreground, &o.facts.Background}[i] = termenv.RGB(c)
		}
		o.facts.HaveColors = o.colors[0] && o.colors[1]
		return true
	}
	return false
}

// privateReport returns the final byte of CSI ? NUMBERS FINAL.
func privateReport(seq []byte) (final byte, ok bool) {
	body, found := bytes.CutPrefix(seq, []byte("\x1b[?"))
	if !found || len(body) == 0 {
		return 0, false
	}
	numbers, final := body[:len(body)-1], body[len(body)-1]
	return final, len(bytes.Trim(numbers, "0123456789;")) == 0
}

// cutStringEnd returns p without the end of a control string, BEL or ST.
func cutStringEnd(p []byte) (text []byte, ended bool) {
	if text, ended = bytes.CutSuffix(p, []byte("\x07")); ended {
		return text, true
	}
	return bytes.CutSuffix(p, []byte("\x1b\\"))
}

// flush returns input that was held back as the possible beginning of an answer. known is
// true if all answers have arrived.
func (o *ownTerminal) flush() (typed []byte, known bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	typed, o.held, o.late = o.held, nil, true
	return typed, o.answered
}

// reported returns what the terminal has answered so far.
func (o *ownTerminal) reported() engine.TerminalFacts {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.facts
}

// keepsReports reports whether the terminal has answered that it keeps reports of programs.
func (o *ownTerminal) keepsReports() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.status
}

// drain discards the answers that can still arrive.
func (o *ownTerminal) drain(in, out *os.File) {
	o.mu.Lock()
	pending := !o.answered && time.Since(o.asked) < termenv.AnswersWithin
	o.mu.Unlock()
	if pending {
		drainAnswers(in, out, true)
	}
}

// drainAnswers discards the terminal's answers to queries of a program that has exited,
// because a shell would take them for input. To find their end it sends a query that every
// terminal answers, unless asked means that this was done. It also discards keys pressed
// meanwhile, which were meant for that program.
func drainAnswers(in, out *os.File, asked bool) {
	saved, err := term.MakeRaw(in.Fd())
	if err != nil {
		return
	}
	defer term.Restore(in.Fd(), saved) //nolint:errcheck // nothing can be done about it
	r, err := cancelreader.NewReader(in)
	if err != nil {
		return
	}
	defer r.Close()
	if !asked {
		if _, err := out.WriteString("\x1b[c"); err != nil {
			return
		}
	}
	late := time.AfterFunc(termenv.AnswersWithin, func() { r.Cancel() })
	defer late.Stop()
	var got []byte
	for buf := make([]byte, 4096); !endsAnswers(got); {
		n, err := r.Read(buf)
		if err != nil {
			return
		}
		got = append(got, buf[:n]...)
	}
}

// endsAnswers reports whether p contains primary device attributes: CSI ? … c.
func endsAnswers(p []byte) bool {
	for at := bytes.IndexByte(p, 0x1b); at >= 0; at = bytes.IndexByte(p, 0x1b) {
		seq, _ := firstSequence(p[at:])
		if final, isReport := privateReport(seq); isReport && final == 'c' {
			return true
		}
		p = p[at+len(seq):]
	}
	return false
}
