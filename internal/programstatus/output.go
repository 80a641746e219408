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

// InOutput returns the reports in the end of an output that still hold, as a terminal would have interpreted it, or nil
// if none does. found is false if there are no reports, so that earlier ones still hold. written is when the output was
// written. It is for jobs whose output no terminal of hob interprets; reports before that end are not known.
func InOutput(end []byte, written time.Time) (p *record.Program, found bool) {
	s, found := StoreOf(end, written)
	return s.Program(), found
}

// StoreOf does the same as [InOutput], and returns the store of these reports.
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
