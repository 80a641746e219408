package programstatus

import (
	"bytes"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/vt"
)

// InOutput returns what the reports in the end of an output say together, as a terminal would have understood
// them, or nil if there are none. written is when it was written. It is for jobs whose output no terminal reads;
// reports before that end are not known.
func InOutput(end []byte, written time.Time) *record.Program {
	if !bytes.Contains(end, []byte("\x1b]7501;")) {
		return nil
	}
	var s Store
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
	return s.Program()
}
