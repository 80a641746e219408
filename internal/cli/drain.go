package cli

import (
	"bytes"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"
)

const (
	// answersWithin is how long after a question a terminal may still answer.
	answersWithin = time.Second
)

// drainAnswers swallows what the terminal still answers to questions that a
// program asked which is gone by now; a shell would take the answers for typed
// words. One more question, which every terminal answers, tells where they end,
// unless it was asked already. What a person typed in that moment was meant for
// what is gone, too.
func drainAnswers(in, out *os.File, asked bool) {
	saved, err := term.MakeRaw(in.Fd())
	if err != nil {
		return
	}
	defer term.Restore(in.Fd(), saved) //nolint:errcheck // there is nothing else to try
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
	late := time.AfterFunc(answersWithin, func() { r.Cancel() })
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

// endsAnswers reports whether p holds primary device attributes: CSI ? … c.
func endsAnswers(p []byte) bool {
	for {
		at := bytes.Index(p, []byte("\x1b[?"))
		if at < 0 {
			return false
		}
		p = p[at+3:]
		rest := bytes.TrimLeft(p, "0123456789;")
		if len(rest) > 0 && rest[0] == 'c' {
			return true
		}
	}
}
