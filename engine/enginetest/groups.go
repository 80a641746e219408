package enginetest

import (
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
)

// groups returns the cases about the common log of several jobs.
func groups() []suiteCase {
	return []suiteCase{
		{"lines of several jobs are one stream, while they run and after", func(s *suite) {
			s.need(s.caps.Stdin, "input")
			labels := map[string]string{"group": "shop"}
			member := func(spec *engine.Spec) { spec.Stdin, spec.Labels = true, labels }
			first := s.sh("echo one; read line; echo $line", member)
			s.until(first.ID, func(out string) bool { return out == "one\n" })
			s.wait(s.sh("echo two; cat", member, func(spec *engine.Spec) { spec.Stdin = false }).ID)
			s.sh("echo not of the group")

			stream, err := grouplog.Open(s.ctx(), s.e, grouplog.Options{
				Filter: engine.Filter{Labels: labels},
				Last:   -1,
				Follow: true,
			})
			s.done(err)
			defer stream.Close()
			var lines []string
			for ends := 0; ends < 2; {
				entries, err := stream.Next(s.ctx())
				s.done(err)
				for _, e := range entries {
					s.done(e.Err)
					if e.Ended {
						ends++
						continue
					}
					lines = append(lines, e.Line.Text)
				}
				if slices.Contains(lines, "two") && !slices.Contains(lines, "three") && ends < 2 {
					_ = s.e.Handle(first.ID).Write(s.ctx(), []byte("three\n")) // it may have ended by now
				}
			}
			if diff := cmp.Diff([]string{"one", "two", "three"}, lines); diff != "" {
				s.Errorf("followed (-want +got):\n%s", diff)
			}

			again, err := grouplog.Open(s.ctx(), s.engine(), grouplog.Options{Filter: engine.Filter{Labels: labels}, Last: 2})
			s.done(err)
			defer again.Close()
			entries, err := again.Next(s.ctx())
			s.done(err)
			var last []string
			for _, e := range entries {
				if !e.Ended {
					last = append(last, e.Line.Text)
				}
			}
			if len(last) != 2 || len(entries) < 3 {
				s.Errorf("the last two lines and the ends after them are %q and %d entries", last, len(entries))
			}
		}},
	}
}
