package logview

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func (s *harness) search(text string, regex bool) {
	s.t.Helper()
	cmd, err := s.m.Search(text, regex)
	if err != nil {
		s.t.Fatal(err)
	}
	s.do(cmd)
}

func (s *harness) wantQuery(current, total int) {
	s.t.Helper()
	if _, at, n, done := s.m.Query(); at != current || n != total || !done {
		s.t.Errorf("match %d of %d, done %t; want %d of %d", at, n, done, current, total)
	}
}

// current returns the line of the current match if it is in view.
func (s *harness) current() string {
	s.t.Helper()
	for i := s.m.top; i <= s.m.bottom(); i++ {
		if s.m.lines[i].Start == s.m.query.current {
			return string(s.m.lines[i].Raw)
		}
	}
	return "out of view"
}

func TestSearchBeginsAtTheView(t *testing.T) {
	s := show(t, numbered(1, 2000), 40, 10, true)
	s.do(s.m.JumpPercent(25))
	s.want("line 537", "line 546")
	s.search("line .*7$", true)
	s.wantQuery(54, 200)
	if got := s.current(); got != "line 537" {
		t.Errorf("at %q, want the first below the top", got)
	}
	if s.want("line 537", "line 546"); len(s.notices) > 0 {
		t.Errorf("notices %q", s.notices)
	}
}

func TestSearchWrapsAround(t *testing.T) {
	s := show(t, "needle 1\n"+numbered(1, 2000), 40, 10, true)
	s.search("needle", false)
	s.wantQuery(1, 1)
	if got := s.current(); got != "needle 1" || !slices.Contains(s.notices, continuedAtTop) {
		t.Errorf("at %q, notices %q", got, s.notices)
	}
}

func TestStepsVisitAllMatches(t *testing.T) {
	var b strings.Builder
	r := rand.New(rand.NewPCG(3, 4))
	var want []string
	for i := range 1000 {
		line := fmt.Sprintf("row %d", i)
		if r.IntN(7) == 0 {
			line = fmt.Sprintf("hit %d", i)
			want = append(want, line)
		}
		b.WriteString(line + strings.Repeat(".", r.IntN(60)*r.IntN(30)) + "\n")
	}
	s := show(t, b.String(), 40, 10, false)
	s.press("g")
	s.search("hit", false)
	for i, line := range want {
		if got := s.current(); !strings.HasPrefix(got, line) {
			t.Fatalf("match %d is %q, want %q", i+1, got, line)
		}
		s.wantQuery(i+1, len(want))
		s.press("n")
	}
	s.wantQuery(1, len(want))
	for i := len(want) - 1; i >= 0; i-- {
		s.press("N")
		if got := s.current(); !strings.HasPrefix(got, want[i]) {
			t.Fatalf("back at match %d: %q, want %q", i+1, got, want[i])
		}
	}
}

// Steps requested while others are being carried out are not lost.
func TestPendingStepsAreCarriedOut(t *testing.T) {
	s := show(t, numbered(1, 3000), 40, 10, true)
	s.press("g")
	s.search("line", false)
	first := s.m.NextMatch()
	for range 4 {
		if cmd := s.m.NextMatch(); cmd != nil {
			s.do(cmd)
		}
	}
	s.do(first)
	s.wantQuery(6, 3000)
}

func TestMatchesOfGrowingLines(t *testing.T) {
	s := show(t, "begin\nnee", 40, 10, true)
	s.search("needle", false)
	s.grow("dle") // now it matches
	s.wantQuery(0, 1)
	s.grow("!") // and still matches
	s.wantQuery(0, 1)
	s.grow("\r      \rgone\nneedle two\n")
	s.wantQuery(0, 1)
	for range 50 {
		s.grow("a needle\nnone\n")
	}
	s.wantQuery(0, 51)
	s.press("g", "n")
	s.wantQuery(1, 51)
	if got := s.current(); got != "needle two" {
		t.Errorf("at %q", got)
	}
}

// A new search cancels the previous one.
func TestNewSearchCancelsPreviousSearch(t *testing.T) {
	s := show(t, numbered(1, 100), 40, 10, true)
	cmd, _ := s.m.Search("line", false)
	ctx := s.m.query.ctx
	s.search("7", false)
	if ctx.Err() == nil {
		t.Error("the previous search continues")
	}
	s.do(cmd)
	s.wantQuery(19, 19)
}

func TestMatchingOnlyScrolls(t *testing.T) {
	s := show(t, numbered(1, 5000), 40, 10, true)
	s.search("7$", true)
	s.press("&")
	s.press("G")
	s.want("line 4907", "line 4997")
	for i := range 200 {
		s.press("k")
		if got, want := s.screen()[0], fmt.Sprintf("line %d", 4897-10*i); got != want {
			t.Fatalf("%d lines up: %q, want %q", i+1, got, want)
		}
	}
	s.press("g")
	s.want("line 7", "line 97")
	for i := range 200 {
		s.press("j")
		if got, want := s.screen()[0], fmt.Sprintf("line %d", 17+10*i); got != want {
			t.Fatalf("%d lines down: %q, want %q", i+1, got, want)
		}
	}
	s.press("G")
	s.grow("line 5007\nother\n")
	s.want("line 4917", "line 5007")
}

func TestMatchingOnlyWithoutMatches(t *testing.T) {
	s := show(t, numbered(1, 20), 40, 4, true)
	s.press("&")
	if len(s.notices) != 1 || s.m.MatchingOnly() {
		t.Errorf("without a search: %q, matching only %t", s.notices, s.m.MatchingOnly())
	}
	s.search("nowhere", false)
	s.press("&")
	if got := s.screen()[0]; got != "No matching lines." {
		t.Errorf("%q", got)
	}
	s.search("1$", true)
	if got := strings.Join(s.screen(), "|"); got != "line 1|line 11||" {
		t.Errorf("another search: %q", got)
	}
	s.search("", false)
	if s.want("line 17", "line 20"); s.m.MatchingOnly() {
		t.Error("without a search the lines are still chosen")
	}
}

func TestStepWithoutSearchShowsNotice(t *testing.T) {
	s := show(t, numbered(1, 20), 40, 4, true)
	for _, key := range []string{"n", "N", "&"} {
		s.notices = nil
		if s.press(key); len(s.notices) != 1 {
			t.Errorf("%s says %q", key, s.notices)
		}
	}
}

// A match outside the visible columns is scrolled into view.
func TestMatchFarToTheRight(t *testing.T) {
	s := show(t, numbered(1, 50)+strings.Repeat("long ", 100)+"needle"+strings.Repeat(" more", 50)+"\n"+numbered(51, 99), 40, 8, true)
	s.press("g")
	s.search("needle", false)
	if all := strings.Join(s.screen(), "\n"); !strings.Contains(all, "needle") {
		t.Errorf("the hit is not in view:\n%s", all)
	}
	s.press("w", "g")
	s.search("needle", false)
	if all := strings.Join(s.screen(), "\n"); !strings.Contains(all, "needle") {
		t.Errorf("wrapped, the hit is not in view:\n%s", all)
	}
}

// The view does not move if the match is in view.
func TestMatchInViewDoesNotScroll(t *testing.T) {
	s := show(t, numbered(1, 500), 40, 10, true)
	s.search("line 495", false)
	s.want("line 491", "line 500")
	if s.m.Following() {
		t.Error("the view would move on with the next output")
	}
}

// flood is a source with many generated lines that all match.
type flood struct {
	memory
	lines int64
}

const floodLine = 8 // bytes

func (f *flood) Size(context.Context) (int64, error) { return f.lines * floodLine, nil }

func (f *flood) Matching(ctx context.Context, _ *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	for at := from / floodLine; at < f.lines && at*floodLine < to && ctx.Err() == nil; at++ {
		if !found(at*floodLine, (at+1)*floodLine) {
			break
		}
	}
	return ctx.Err()
}

func TestMillionsOfMatchesTakeLittleMemory(t *testing.T) {
	s := show(t, "", 40, 10, true)
	src := &flood{lines: 3 << 20}
	s.m.src = src
	s.m.size = src.lines * floodLine
	s.search("x", false)
	_, _, total, done := s.m.Query()
	if total != int(src.lines) || !done {
		t.Errorf("%d matches, done %t, want %d", total, done, src.lines)
	}
	if n := cap(s.m.query.stretches.counts); n > 2*maxStretches {
		t.Errorf("%d counts are kept", n)
	}
}

func TestTally(t *testing.T) {
	var ta stretches
	r := rand.New(rand.NewPCG(5, 6))
	var offs []int64
	off := int64(0)
	for range 5000 {
		off += int64(r.IntN(3000))
		offs = append(offs, off)
		ta.grow(off)
		ta.add(ta.stretch(off), []uint32{1})
	}
	if len(ta.counts) > maxStretches || ta.total != 5000 {
		t.Fatalf("%d counts, total %d", len(ta.counts), ta.total)
	}
	for i := range len(ta.counts) {
		want := 0
		for _, o := range offs {
			if o < int64(i)*ta.stride {
				want++
			}
		}
		if i%97 == 0 && ta.before(i) != int64(want) {
			t.Fatalf("%d before %d, want %d", ta.before(i), i, want)
		}
	}
	if got := ta.next(len(ta.counts)+5, -1); got != ta.stretch(offs[len(offs)-1]) {
		t.Errorf("the last is in %d", got)
	}
	if ta.next(len(ta.counts), 1) != -1 || ta.next(-1, -1) != -1 {
		t.Error("something is beyond the ends")
	}
	ta.remove(offs[10])
	if ta.total != 4999 {
		t.Errorf("total %d after taking back", ta.total)
	}
}

func TestMatchesAreMarkedAtTheEdge(t *testing.T) {
	s := show(t, numbered(1, 1000), 40, 10, true)
	marked := func(sign string) []int {
		var rows []int
		for y, row := range strings.Split(s.m.View(), "\n") {
			if strings.Contains(row, sign) {
				rows = append(rows, y)
			}
		}
		return rows
	}
	s.press("g")
	s.search("line 1000", false)
	if got := marked(s.m.glyphs.HitInView); !slices.Equal(got, []int{9}) {
		t.Errorf("the match in view is marked on rows %v, want the last", got)
	}
	s.press("g")
	if got := marked(s.m.glyphs.Hit); !slices.Equal(got, []int{9}) {
		t.Errorf("the match out of view is marked on rows %v, want the last", got)
	}
	if got := marked(s.m.glyphs.ScrollThumb); !slices.Equal(got, []int{0}) {
		t.Errorf("the view is marked on rows %v, want the first", got)
	}
}
