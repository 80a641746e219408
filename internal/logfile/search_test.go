package logfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRequired(t *testing.T) {
	tests := map[string]struct {
		lit  string
		fold bool
	}{
		`abc`:           {"abc", false},
		`abc|abd`:       {"ab", false},
		`abc|xyz`:       {"", false},
		`abc.*defg`:     {"defg", false},
		`(abc)+`:        {"abc", false},
		`(abc)*x`:       {"x", false},
		`(abc){2,}`:     {"abc", false},
		`(abc){0,3}`:    {"", false},
		`(?i)error: \d`: {"error: ", true},
		`(?i)task`:      {"ta", true},
		`(?i)größe`:     {"gr", true},
		`größe`:         {"größe", false},
		`a\x{FFFD}bc`:   {"bc", false},
		`\d+`:           {"", false},
		`x?`:            {"", false},
	}
	for expr, want := range tests {
		t.Run(expr, func(t *testing.T) {
			got := requiredBy(expr)
			if string(got.lit) != want.lit || got.fold != want.fold {
				t.Errorf("required = %q, fold %v, want %q, %v", got.lit, got.fold, want.lit, want.fold)
			}
		})
	}
}

// tricky has lines whose bytes differ from their text in every possible way.
const tricky = "plain needle here\r\n" +
	"\x1b[31mne\x1b[0medle in color\r\n" +
	"neXdle\b\b\b\b\be no\r\n" +
	"xxxxxx\rneedle\r\n" +
	"needle\rxxxxxx gone\r\n" +
	"ne\x07ed\u009b1mle\n" +
	"\x1b]0;needle\x07only a title\n" +
	"NEEDLE\n" +
	"need\nle\n" +
	"n\xffeedle\n" +
	"needle"

func TestSearchMatchesText(t *testing.T) {
	tests := map[string]struct {
		p    *Pattern
		want []string
	}{
		"exact": {literal("needle"), []string{"plain needle here", "needle in color", "needle", "needle", "needle"}},
		"smart": {anyCase("needle"), []string{"plain needle here", "needle in color", "needle", "needle", "NEEDLE", "needle"}},
		"regexp": {expression(`(?i:^needle$)`),
			[]string{"needle", "needle", "NEEDLE", "needle"}},
		"without a literal": {expression(`[n]\x{FFFD}e`), []string{"n\uFFFDeedle"}},
		"replacement":       {literal("n\uFFFD"), []string{"n\uFFFDeedle"}},
		"title":             {anyCase("title"), []string{"only a title"}},
		"in an escape":      {anyCase("31m"), nil},
		"across lines":      {anyCase("need\nle"), nil},
		"overwritten":       {literal("neXd"), nil},
	}
	for name, tt := range tests {
		for _, src := range []Source{memoryLog(tricky), holedLog{data: []byte(tricky)}} {
			t.Run(fmt.Sprintf("%s/%T", name, src), func(t *testing.T) {
				ctx := t.Context()
				var down, up []string
				for off := int64(0); ; {
					m, ok, err := nextMatch(ctx, src, tt.p, off)
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						break
					}
					if !tt.p.re.MatchString(m.Text) {
						t.Errorf("no match in %q", m.Text)
					}
					down = append(down, m.Text)
					off = m.End
				}
				err := Tail(ctx, src, Query{Limit: 1000, Filter: tt.p}, func(l Line) error {
					if l.Gap == 0 {
						up = append(up, l.Text)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, down); diff != "" {
					t.Errorf("down (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tt.want, up); diff != "" {
					t.Errorf("up (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestMatchingLines(t *testing.T) {
	const log = "one a\ntwo\nthree a\nfour a\n\x1b[1ma\x1b[m and no end"
	p := literal("a")
	tests := map[string]struct {
		from, to int64
		most     int
		want     [][2]int64
	}{
		"all":                     {0, 1 << 20, 9, [][2]int64{{0, 6}, {10, 18}, {18, 25}, {25, 44}}},
		"from the middle of one":  {14, 1 << 20, 9, [][2]int64{{10, 18}, {18, 25}, {25, 44}}},
		"those that begin before": {6, 19, 9, [][2]int64{{10, 18}, {18, 25}}},
		"until fn returns false":  {0, 1 << 20, 2, [][2]int64{{0, 6}, {10, 18}}},
		"after the end":           {1 << 20, 1 << 21, 9, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got [][2]int64
			err := MatchingLines(t.Context(), memoryLog(log), p, tt.from, tt.to, func(off, end int64) bool {
				got = append(got, [2]int64{off, end})
				return len(got) < tt.most
			})
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Searching a block must find the same lines as matching the text of each line.
func FuzzMatchLines(f *testing.F) {
	f.Add(tricky, "needle", true, false)
	f.Add(tricky, "N.E+", false, true)
	f.Add("a\x1b[mB\xc2\xa0C\nabc\r\n\u212a", "k", true, true)
	f.Add("a\u017f\u212a b\nask\naSK\nas\nk", "ask", false, true)
	f.Add("a\u017f\u212a b\nask\naSK\nas\nk", "ask", false, false)
	f.Fuzz(func(t *testing.T, block, expr string, literal, fold bool) {
		if literal {
			expr = quoted(expr)
		}
		if fold {
			expr = "(?i:" + expr + ")"
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return
		}
		p := FromRegexp(re)
		var want, got []string
		for raw := range strings.Lines(block) {
			if re.MatchString(renderAll([]byte(strings.TrimSuffix(raw, "\n")), maxMatchWidth)) {
				want = append(want, raw)
			}
		}
		newMatcher(p).lines([]byte(block), func(start, end int) bool {
			got = append(got, block[start:end])
			return true
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("lines of %q that match %q (-want +got):\n%s", block, expr, diff)
		}
	})
}

func TestSearchStopsWhenCanceled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "output.log")
	if err := os.WriteFile(path, []byte(tricky), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := nextMatch(ctx, f, anyCase("none"), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("the next match: error = %v, want %v", err, context.Canceled)
	}
	if _, err := Count(ctx, f); !errors.Is(err, context.Canceled) {
		t.Errorf("Count: error = %v, want %v", err, context.Canceled)
	}
}

// A line much longer than a block is matched and rendered in bounded memory.
func TestLongLine(t *testing.T) {
	const n = 3 << 20
	long := "early " + strings.Repeat("x", n) + " late"
	log := memoryLog("first\n" + long + "\nlast\n" + strings.Repeat("0%\r", n/3) + "done\n")
	ctx := t.Context()
	lines := collect(t, func(fn func(Line) error) error { return Tail(ctx, log, Query{Limit: 3}, fn) })
	want := []Line{
		{Number: -1, Off: 6, End: int64(len(long)) + 7, Text: long[:lineWidth], Cut: int64(len(long)) - lineWidth, Raw: []byte(long[:MaxRaw]), RawCut: true},
		{Number: -1, Off: int64(len(long)) + 7, End: int64(len(long)) + 12, Text: "last", Raw: []byte("last")},
		{Number: -1, Off: int64(len(long)) + 12, End: int64(len(log)), Text: "done", Raw: []byte(strings.Repeat("0%\r", n/3)[:MaxRaw]), RawCut: true},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	m, ok, err := nextMatch(ctx, log, anyCase("early"), 0)
	if err != nil || !ok || m.Off != 6 || len(m.Text) != lineWidth {
		t.Errorf("the next match is %+v, %v, %v", m, ok, err)
	}
	if _, ok, err := nextMatch(ctx, log, anyCase("0%"), 0); ok || err != nil {
		t.Errorf("overwritten text was found (%v)", err)
	}
}
