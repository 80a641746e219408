package programstatus

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

func report(body string) string { return "\x1b]7501;" + body + "\a" }

// A part of an output is understood as a terminal would have understood it, together with what was read before.
func TestOutputIsReadInParts(t *testing.T) {
	run := record.RunLine(2, time.Unix(0, 0), "")
	for name, tc := range map[string]struct {
		parts []string
		want  []string
	}{
		"nothing":                     {[]string{"text\n"}, nil},
		"another task":                {[]string{report("state=working"), "text", report("state=idle:id=a")}, []string{"", "a"}},
		"withdrawn later":             {[]string{report("state=working:id=a"), report("state=clear")}, nil},
		"a prompt later":              {[]string{report("state=working:id=a") + report("state=done:id=b"), "\x1b]133;A\a$ "}, []string{"b"}},
		"a reset later":               {[]string{report("state=done"), "\x1bc"}, nil},
		"parts that overlap":          {[]string{report("state=working:id=a") + report("state=clear:id=a"), report("state=working:id=a") + report("state=clear:id=a")}, nil},
		"cut at its beginning":        {[]string{"ng:id=a\a" + report("state=idle:id=b")}, []string{"b"}},
		"an earlier run":              {[]string{report("state=error") + "\n" + run + "\ntext"}, nil},
		"an earlier run in a part":    {[]string{report("state=error"), "\n" + run + "\n" + report("state=idle:id=a")}, []string{"a"}},
		"an earlier run, in terminal": {[]string{report("state=error") + "\r\n" + run + "\r\n"}, nil},
		"text of a program":           {[]string{report("state=error") + "\n── run fast ──!\n"}, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			var s Store
			for i, part := range tc.parts {
				s.Read([]byte(part), time.Unix(int64(i), 0))
			}
			if got := ids(&s); !slices.Equal(got, tc.want) {
				t.Errorf("%q: reports %q, want %q", strings.Join(tc.parts, "|"), got, tc.want)
			}
		})
	}
}

func TestCloneIsIndependent(t *testing.T) {
	s := storeOf(t, "state=idle", "state=idle:id=a")
	clone := s.Clone()
	clone.Read([]byte(report("state=working:id=b")+report("state=clear:id=a")), time.Unix(9, 0))
	if got, want := ids(s), []string{"", "a"}; !slices.Equal(got, want) {
		t.Errorf("the original has %q, want %q", got, want)
	}
	if got, want := ids(&clone), []string{"", "b"}; !slices.Equal(got, want) {
		t.Errorf("the clone has %q, want %q", got, want)
	}
}
