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
			s.summary(s.get(j.ID), "psql: error: connection refused")
			jobs, err := s.engine().List(s.ctx(), engine.Filter{IDs: []engine.ID{j.ID}})
			s.done(err)
			s.summary(jobs[0], "psql: error: connection refused")
		}},
		{"the end of a successful job has its last line", func(s *suite) {
			j := s.sh("echo starting; echo added 12 packages; echo")
			s.exits(j.ID, 0)
			s.summary(s.get(j.ID), "added 12 packages")
		}},
		{"a subscription has the last line of a running job", func(s *suite) {
			j := s.sh("echo starting; echo ready; exec sleep 600")
			sub := s.e.Subscribe(engine.Filter{})
			defer sub.Close()
			for said := ""; said != "ready"; {
				events, err := sub.Next(s.ctx())
				s.done(err)
				for _, e := range events {
					if e.Job.ID == j.ID {
						said = e.Job.Summary(time.Now())
					}
				}
			}
		}},
	}
}

func (s *suite) summary(j engine.Job, want string) {
	s.Helper()
	if got := j.Summary(time.Now()); !strings.Contains(got, want) {
		s.Errorf("the summary is %q, want %q", got, want)
	}
}
