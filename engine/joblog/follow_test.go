package joblog_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/testtool/growing"
)

// A follower returns each line that is added after its first request, whenever that is.
func TestFollowerFindsLinesAddedWhileItBegins(t *testing.T) {
	b := regexp.MustCompile("b")
	for _, c := range []struct {
		name, first, all string
		q                joblog.Query
		want             []string
	}{
		{"from a line that is not there yet", "0\n1\n2", "0\n1\n2 go\n3\n4\n5\n", joblog.Query{From: 4}, []string{"4", "5"}},
		{"the last lines of an empty log", "", "0\n1\n2\n", joblog.Query{Last: true, Limit: 9}, []string{"0", "1", "2"}},
		{"nothing of an empty log", "", "0\n1\n2\n", joblog.Query{Last: true}, []string{"0", "1", "2"}},
		{"nothing of a log", "0\n1\n", "0\n1\n2\n3\n", joblog.Query{Last: true}, []string{"2", "3"}},
		{"nothing of a log with an open line", "0\n1", "0\n1 b\n2\n", joblog.Query{Last: true}, []string{"1 b", "2"}},
		{"matching lines, none yet", "0\n1\n", "0\n1\n2 b\n3\n4 b\n", joblog.Query{Last: true, Limit: 9, Filter: b}, []string{"2 b", "4 b"}},
		{"matching lines, the first one open", "0\n1", "0\n1 b\n2\n3 b\n", joblog.Query{Last: true, Limit: 9, Filter: b}, []string{"1 b", "3 b"}},
		{"matching lines after others", "0 b\n1\n", "0 b\n1\n2 b\n", joblog.Query{Last: true, Limit: 9, Filter: b}, []string{"0 b", "2 b"}},
		{"all but matching lines, none yet", "b\n", "b\n1\nb\n2\n", joblog.Query{Last: true, Limit: 9, Exclude: b}, []string{"1", "2"}},
		{"matching lines from the first one", "0\n1", "0\n1 b\n2\n3 b\n", joblog.Query{Filter: b}, []string{"1 b", "3 b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n < growing.MostRequests; n++ {
				out := &growing.Output{First: c.first, All: c.all, Requests: n}
				l := joblog.New(out, nil)
				f, err := l.Follow(t.Context(), c.q)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, rest := range []bool{false, true} {
					for line, err := range f.Read(t.Context(), rest) {
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, line.Text)
					}
					out.Requests = 0
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("grown after %d requests: lines %q, want %q", n, got, c.want)
				}
			}
		})
	}
}
