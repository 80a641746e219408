package logview

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/themes"
)

// says returns a line of a job. number selects its color.
func says(job string, number int, text string) MergedLine {
	return MergedLine{
		Label: Label{Text: fmt.Sprintf("%-8s", job), Number: number},
		At:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Line:  joblog.Line{Text: vt.Strip(text[strings.LastIndexByte(text, '\r')+1:]), Raw: []byte(text)},
	}
}

func shop() *Merged {
	g := &Merged{}
	g.Add(says("web", 0, "GET /\x1b[32m200\x1b[m"), says("worker", 1, "10 %\r50 %"), says("mailer", 2, "refused"))
	end := says("mailer", 2, "✗ exit 1 after 2s")
	end.Label.Tone = ToneFailed
	stopped := says("web", 0, "✓ stopped after 5s")
	stopped.Label.Tone = ToneQuiet
	g.Add(end, stopped)
	return g
}

func (s *harness) merged(g *Merged) *harness {
	s.do(s.m.SetSource(g, true))
	return s
}

func TestEachLineNamesItsJob(t *testing.T) {
	s := show(t, "", 40, 8, true)
	s.m.SetTimestamps(true)
	s.merged(shop())
	rows := func(want ...string) {
		t.Helper()
		got := strings.TrimRight(strings.Join(s.screen(), "\n"), "\n")
		if diff := cmp.Diff(want, strings.Split(got, "\n")); diff != "" {
			t.Error(diff)
		}
	}
	rows(
		"03:04:05 web     GET /200",
		"03:04:05 worker  50 %", // what the line overwrites is not the name
		"03:04:05 mailer  refused",
		"03:04:05 mailer  ✗ exit 1 after 2s",
		"03:04:05 web     ✓ stopped after 5s",
	)
	s.press("g", "y")
	if want := "web     GET /200"; s.copied != want {
		t.Errorf("copied %q, want %q", s.copied, want)
	}
	s.press("v", "j", "y")
	if want := "web     GET /200\nworker  50 %"; s.copied != want {
		t.Errorf("copied %q, want %q", s.copied, want)
	}
	s.search("^mailer", true)
	s.press("&")
	rows("03:04:05 mailer  refused", "03:04:05 mailer  ✗ exit 1 after 2s")
}

func TestColorsOfJobs(t *testing.T) {
	s := show(t, "", 30, 6, true).merged(shop())
	theme, err := themes.Named("terminal", true)
	if err != nil {
		t.Fatal(err)
	}
	*s.m.styles = *theme.Styles(themes.Unicode())
	var b strings.Builder
	for line := range strings.SplitSeq(s.m.View(), "\n") {
		fmt.Fprintf(&b, "%q\n", line)
	}
	golden.RequireEqual(t, b.String())
}

func TestMergedDropsTheOldestLines(t *testing.T) {
	long := strings.Repeat("x", 8<<10)
	for name, tt := range map[string]struct {
		line  string
		lines int
		least int // lines that are kept
	}{
		"a few are kept":    {"GET /", 100, 100},
		"too many lines":    {"GET /", 3 * mostMerged, mostMerged * 7 / 8},
		"too many bytes":    {long, 3000, mostMergedBytes * 7 / 8 / 2 / len(long) * 99 / 100},
		"one after another": {"", mostMerged + 1, mostMerged * 7 / 8},
	} {
		t.Run(name, func(t *testing.T) {
			g := &Merged{}
			for i := range tt.lines {
				g.Add(says("web", 0, fmt.Sprint(tt.line, " ", i)))
			}
			size, _ := g.Size(t.Context())
			kept, err := g.Window(t.Context(), size, tt.lines, 1)
			if err != nil || len(kept) < tt.least || len(kept) > mostMerged {
				t.Fatalf("%d lines are kept, %v; want %d at least", len(kept), err, tt.least)
			}
			first, last := kept[0], kept[len(kept)-1]
			if whole, _ := g.Whole(); whole != (len(kept) == tt.lines) {
				t.Errorf("whole: %v with %d of %d lines", whole, len(kept), tt.lines)
			}
			if first.Dropped != first.Start || first.Number != int64(tt.lines-len(kept)) || last.End != size {
				t.Errorf("kept from line %d at %d after %d dropped bytes, to %d of %d", first.Number, first.Start, first.Dropped, last.End, size)
			}
			lines, _ := countLines(t.Context(), g, first.Start, size)
			if lines != len(kept) {
				t.Errorf("%d lines are counted, %d kept", lines, len(kept))
			}
			early, err := g.Window(t.Context(), 0, 3, 2)
			if diff := cmp.Diff(kept[:2], early); err != nil || diff != "" {
				t.Errorf("in place of dropped lines, %v: %s", err, diff)
			}
		})
	}
}

// A job that prints very much displaces only its own lines.
func TestMergedKeepsTheLinesOfQuietJobs(t *testing.T) {
	g := &Merged{}
	for i := range 5 * mostMerged {
		if i%1000 == 0 {
			g.Add(says("web", 0, fmt.Sprint("GET /", i)))
		}
		g.Add(says("flood", 1, "y"))
	}
	s := show(t, "", 40, 10, true).merged(g)
	s.search("GET", false)
	if _, _, total, done := s.m.Query(); total != 50 || !done {
		t.Errorf("%d lines of the quiet job are found, done: %v", total, done)
	}
	s.press("&", "G")
	s.want("web     GET /40000", "web     GET /49000")
	size, _ := g.Size(t.Context())
	if kept, _ := g.Window(t.Context(), size, 5*mostMerged, 1); len(kept) > mostMerged {
		t.Errorf("%d lines are kept", len(kept))
	}
}

// Commands read while lines are added and dropped.
func TestMergedGrowsWhileItIsRead(t *testing.T) {
	g := shop()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			size, _ := g.Size(ctx)
			lines, _ := g.Window(ctx, size, 100, 1)
			for _, l := range lines {
				_, _ = g.TimeAt(t.Context(), l.Start)
				_ = g.Label(l.Start)
			}
		}
	}()
	for i := range 2 * mostMerged {
		g.Add(says("web", 0, fmt.Sprint(i)))
	}
	stop()
	<-done
}
