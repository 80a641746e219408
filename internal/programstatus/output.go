package programstatus

import (
	"bytes"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/vt"
)

// Searched is how much of the end of an output is searched for reports, in bytes: a full-screen program that waits for
// the user draws its question after its report.
const Searched = 16 << 10

// InOutput returns what the reports in the end of an output say together, as a terminal would have understood
// them, or nil if they say nothing. found is false if there are none, so that earlier ones still hold. written is when
// it was written. It is for jobs whose output no terminal reads; reports before that end are not known.
func InOutput(end []byte, written time.Time) (p *record.Program, found bool) {
	s, found := StoreOf(end, written)
	return s.Program(), found
}

// StoreOf is InOutput that returns the store of these reports.
func StoreOf(end []byte, written time.Time) (s *Store, found bool) {
	s = &Store{}
	if !bytes.Contains(end, []byte("\x1b]7501;")) {
		return s, false
	}
	t := vt.New(80, 24, vt.WithHandler(vt.Handler{
		Status: func(body string) {
			if r, ok := Parse(body); ok {
				s.Apply(r, written)
			}
		},
		Prompt: func() { s.EndRun() },
		Reset:  func() { s.Clear() },
	}))
	t.Write(end)
	return s, true
}
