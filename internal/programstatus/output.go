package programstatus

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/vt"
)

// Searched is how much of the end of an output is searched for reports, in bytes: a full-screen program that waits for
// the user draws its question after its report.
const Searched = 16 << 10

// Read stores the reports in a part of an output, as a terminal would have interpreted it. It is for jobs whose output
// no terminal of hob interprets. written is when the part was written. Parts may overlap: what is read again changes
// only times. If a run of the job begins in the part, earlier reports are removed.
func (s *Store) Read(part []byte, written time.Time) {
	if run, begins := lastRun(part); begins {
		s.Clear()
		part = run
	}
	if s.Empty() && !bytes.Contains(part, []byte("\x1b]7501;")) {
		return
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
	t.Write(part)
}

// Clone returns a copy of the store.
func (s *Store) Clone() Store {
	return Store{reports: slices.Clone(s.reports), groups: maps.Clone(s.groups)}
}

// lastRun returns what follows the last line in output with which a run begins. ok is false if there is no such line.
func lastRun(output []byte) (run []byte, ok bool) {
	rest := output
	for {
		i := bytes.LastIndexByte(rest, '\n')
		if line := bytes.TrimSuffix(rest[i+1:], []byte("\r")); record.IsRunLine(string(line)) {
			return output[len(rest):], true
		}
		if i < 0 {
			return output, false
		}
		rest = rest[:i]
	}
}
