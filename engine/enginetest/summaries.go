package enginetest

import (
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

// summaries are the cases about the sentence that a list shows of a job.
func summaries() []suiteCase {
	return []suiteCase{
		{"the end of a job has the line that says why it failed", func(s *suite) {
			j := s.sh("echo starting; echo 'psql: error: connection refused'; echo bye; exit 2")
			s.exits(j.ID, 2)
			s.summary(j.ID, "psql: error: connection refused")
			jobs, err := s.engine().List(s.ctx(), engine.Filter{IDs: []engine.ID{j.ID}})
			s.done(err)
			if got := jobs[0].Summary(time.Now()); !strings.Contains(got, "psql: error: connection refused") {
				s.Errorf("the summary in a list of another client is %q", got)
			}
		}},
		{"the end of a successful job has its last line", func(s *suite) {
			j := s.sh("echo starting; echo added 12 packages; echo")
			s.exits(j.ID, 0)
			s.summary(j.ID, "added 12 packages")
		}},
		{"a subscription has the last line of a running job", func(s *suite) {
			j := s.sh("echo starting; echo ready; exec sleep 600")
			s.summary(j.ID, "ready")
		}},
	}
}

// summary waits until the sentence about a job contains want. On a host, the end of an output is read after the
// end of its job.
func (s *suite) summary(id engine.ID, want string) {
	s.Helper()
	sub := s.e.Subscribe(engine.Filter{IDs: []engine.ID{id}})
	defer sub.Close()
	last := ""
	for !strings.Contains(last, want) {
		events, err := sub.Next(s.ctx())
		if err != nil {
			s.Fatalf("the summary is %q, want %q: %v", last, want, err)
		}
		for _, e := range events {
			last = e.Job.Summary(time.Now())
		}
	}
}
