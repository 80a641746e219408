package cli

import (
	"bytes"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termenv"
)

// ownTerminal queries the user's terminal for what a job may ask: colors and the kitty
// keyboard protocol. It removes the answers from the input. Its methods may be called
// concurrently.
type ownTerminal struct {
	answer, begun *regexp.Regexp
	asked         time.Time

	mu       sync.Mutex // guards the fields below
	facts    engine.TerminalFacts
	colors   [2]bool // foreground and background have been reported
	held     []byte  // input that may be the beginning of an answer
	late     bool    // an escape is more likely a key than an answer
	answered bool    // all answers have arrived
}

// ownQuestions ends with a query that every terminal answers.
const ownQuestions = ansi.RequestForegroundColor + ansi.RequestBackgroundColor + ansi.RequestKittyKeyboard + ansi.RequestPrimaryDeviceAttributes

// askOwnTerminal sends the queries.
func askOwnTerminal(out *os.File) (*ownTerminal, error) {
	o := &ownTerminal{
		answer: regexp.MustCompile(`^\x1b(?:\](1[01]);([^\x07\x1b]*)(?:\x07|\x1b\\)|\[\?[0-9;]*([uc]))`),
		begun:  regexp.MustCompile(`^\x1b(?:$|\](?:1(?:[01](?:;[^\x07\x1b]{0,64}\x1b?)?)?)?$|\[(?:\?[0-9;]{0,64})?$)`),
		asked:  time.Now(),
	}
	_, err := out.WriteString(ownQuestions)
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
		if m := o.answer.FindSubmatch(p); m != nil {
			o.note(m)
			p = p[len(m[0]):]
			continue
		}
		if o.begun.Match(p) && !(o.late && len(p) == 1) {
			o.held = p
			return typed, false
		}
		typed, p = append(typed, p[0]), p[1:]
	}
	return append(typed, p...), o.answered
}

// note stores one answer. The caller holds o.mu.
func (o *ownTerminal) note(m [][]byte) {
	switch {
	case len(m[1]) > 0:
		i := int(m[1][1] - '0')
		if c := ansi.XParseColor(string(m[2])); c != nil {
			o.colors[i] = true
			*[]*[3]uint8{&o.facts.Foreground, &o.facts.Background}[i] = termenv.RGB(c)
		}
		o.facts.HaveColors = o.colors[0] && o.colors[1]
	case m[3][0] == 'u':
		o.facts.KittyKeyboard = true
	default:
		o.answered = true
	}
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
func endsAnswers(p []byte) bool { return regexp.MustCompile(`\x1b\[\?[0-9;]*c`).Match(p) }
