package engine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
)

// The log limit drops bytes regardless of character boundaries. Partial characters at the edges are
// not shown.
func TestNoPartialCharactersAroundDroppedRange(t *testing.T) {
	for name, line := range map[string]string{
		"lines":      strings.Repeat("語", 700) + "\n",
		"long lines": strings.Repeat("語", 200_000) + "\n",
		"one line":   strings.Repeat("語", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t)
			x := create(t, e, engine.ExecutionSpec{LogLimit: 2 << 20})
			for n := 0; n < 5<<20; n += len(line) {
				x.Append([]byte(line))
			}
			l := openLog(t, e, x.ID(), engine.StreamOutput)
			holes, err := l.Holes(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(holes) == 0 {
				t.Skip("this file system cannot free bytes inside a file")
			}
			end := make([]byte, 1)
			if _, err := l.ReadAt(t.Context(), end, holes[0].End); err != nil || holes[0].Start%3 == 0 && utf8.RuneStart(end[0]) {
				t.Fatalf("no character is cut at %+v: %v", holes, err)
			}
			check := func(what string, lines []joblog.Line, err error) {
				if err != nil || len(lines) == 0 {
					t.Errorf("%s: %d lines, %v", what, len(lines), err)
				}
				for _, l := range lines {
					if strings.Contains(l.Text, "\uFFFD") || !utf8.Valid(l.Raw) {
						t.Errorf("%s: the line from %d to %d has a part of a character", what, l.Start, l.End)
					}
				}
			}
			lines, err := linesOf(l.Lines(t.Context(), joblog.Query{Limit: 10_000}))
			check("lines from", lines, err)
			lines, err = linesOf(l.Lines(t.Context(), joblog.Query{Last: true, Limit: 10_000}))
			check("tail", lines, err)
			lines, err = l.Window(t.Context(), holes[0].Start-10, 1, 1)
			check("window before", lines, err)
			lines, err = l.Window(t.Context(), holes[0].End+10, 0, 1)
			check("window behind", lines, err)
			var kept, dropped int64
			for more := true; more; {
				p := poll(t, e, x.ID(), "a", 0)
				kept, dropped, more = kept+int64(len(p.Output)), dropped+p.Dropped, p.More
				if !utf8.Valid(p.Output) {
					t.Errorf("the poll up to %d has a part of a character", p.Cursor)
				}
			}
			if size, err := l.Size(t.Context()); err != nil || kept+dropped != size {
				t.Errorf("polled %d bytes, %d dropped, of %d: %v", kept, dropped, size, err)
			}
		})
	}
}

func TestResultBeginsWithWholeCharacter(t *testing.T) {
	e, f := withFake(t)
	r, err := e.Run(t.Context(), engine.Spec{Script: "x"}, engine.RunOptions{MaxOutput: 7, OnStart: func(id engine.ID) {
		f.Job(id).Print(strings.Repeat("語", 10))
		f.Job(id).Exit(0)
	}})
	if err != nil || string(r.Output) != "語語" || !r.Truncated {
		t.Errorf("%q, truncated %v, %v", r.Output, r.Truncated, err)
	}
}
