package logview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/selection"
)

// memory is a source in memory whose text may grow.
type memory struct {
	text  string
	reads int // number of windows read
	fail  error

	known int // size of the text that the source has reported
	all   []joblog.Line
}

func (s *memory) Size(context.Context) (int64, error) { return int64(len(s.text)), s.fail }

func (s *memory) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(s.text)) {
		return 0, io.EOF
	}
	return copy(p, s.text[off:]), nil
}

func (s *memory) lines() []joblog.Line {
	if s.known == len(s.text) {
		return s.all
	}
	s.known, s.all = len(s.text), nil
	start := 0
	for line := range strings.Lines(s.text) {
		raw := strings.TrimSuffix(line, "\n")
		shown := raw[strings.LastIndexByte(strings.TrimRight(raw, "\r"), '\r')+1:]
		s.all = append(s.all, joblog.Line{
			Number: -1, Start: int64(start), End: int64(start + len(line)), Text: vt.Strip(shown), Raw: []byte(raw),
		})
		start += len(line)
	}
	return s.all
}

// at returns the index of the line that contains an offset.
func (s *memory) at(off int64) int {
	lines := s.lines()
	return sort.Search(len(lines), func(i int) bool { return lines[i].End > off })
}

func (s *memory) Window(_ context.Context, off int64, before, after int) ([]joblog.Line, error) {
	s.reads++
	at := s.at(off)
	lines := s.lines()
	return slices.Clone(lines[max(0, at-before):min(len(lines), at+after)]), nil
}

func (s *memory) Matching(ctx context.Context, re *regexp.Regexp, from, to int64, found func(start, end int64) bool) error {
	for _, l := range s.lines()[s.at(from):] {
		if l.Start >= to || re.MatchString(l.Text) && !found(l.Start, l.End) {
			break
		}
	}
	return ctx.Err()
}

func (s *memory) TimeAt(_ context.Context, off int64) (time.Time, bool) {
	return time.Date(2026, 1, 2, 3, 4, int(off%60), 0, time.UTC), true
}

func (s *memory) LineNumber(_ context.Context, off int64) (int64, error) {
	return int64(strings.Count(s.text[:off], "\n")), nil
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

type harness struct {
	t       *testing.T
	m       *Model
	src     *memory
	notices []string
	copied  string
	cut     bool
	now     time.Time
}

func show(t *testing.T, text string, w, h int, follow bool) *harness {
	t.Helper()
	theme, err := themes.Named("none", true)
	if err != nil {
		t.Fatal(err)
	}
	s := &harness{t: t, src: &memory{text: text}}
	s.m = New(keymap.Default().Log, theme.Styles(themes.Unicode()), Options{Clock: func() time.Time { return s.now }})
	s.m.zone = time.UTC
	s.m.SetFocus(true)
	s.do(s.m.SetSize(w, h))
	s.do(s.m.SetSource(s.src, follow))
	t.Cleanup(s.m.Close)
	return s
}

// do runs a command and all commands that result from it.
func (s *harness) do(cmd tea.Cmd) {
	s.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			s.do(c)
		}
	case NoticeMsg:
		s.notices = append(s.notices, msg.Text)
	case selection.CopyMsg:
		s.copied, s.cut = msg.Text, msg.Cut
	default:
		s.do(s.m.Update(msg))
	}
}

func (s *harness) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "pgup":
			msg = tea.KeyPressMsg{Code: tea.KeyPgUp}
		case "pgdown":
			msg = tea.KeyPressMsg{Code: tea.KeyPgDown}
		case "ctrl+u":
			msg = tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}
		}
		s.do(s.m.Update(msg))
	}
}

func (s *harness) grow(text string) {
	s.t.Helper()
	s.src.text += text
	s.do(s.m.Grown())
}

// screen returns the visible text, without the scroll track and trailing blanks.
func (s *harness) screen() []string {
	s.t.Helper()
	view := s.m.View()
	rows := strings.Split(view, "\n")
	for i, r := range rows {
		if got := ansi.StringWidth(r); got != s.m.w {
			s.t.Fatalf("row %d is %d columns wide, want %d: %q", i, got, s.m.w, r)
		}
		r = ansi.Strip(r)
		if s.m.hasTrack() {
			r = string([]rune(r)[:len([]rune(r))-1])
		}
		rows[i] = strings.TrimRight(r, " ")
	}
	if len(rows) != s.m.h {
		s.t.Fatalf("%d rows, want %d", len(rows), s.m.h)
	}
	return rows
}

func (s *harness) want(first, last string) {
	s.t.Helper()
	rows := s.screen()
	if rows[0] != first || rows[len(rows)-1] != last {
		s.t.Errorf("screen from %q to %q, want %q to %q", rows[0], rows[len(rows)-1], first, last)
	}
}

func TestFollowStaysAtTheEnd(t *testing.T) {
	s := show(t, numbered(1, 1000), 40, 10, true)
	s.want("line 991", "line 1000")
	s.grow(numbered(1001, 1500))
	s.want("line 1491", "line 1500")
}

func TestScrollingUpStopsFollowingAndCountsNewLines(t *testing.T) {
	s := show(t, numbered(1, 1000), 40, 10, true)
	s.press("k", "k")
	s.want("line 989", "line 998")
	s.grow(numbered(1001, 1128))
	s.want("line 989", "line 998")
	if n, more := s.m.NewLines(); n != 128 || more {
		t.Errorf("NewLines() = %d, %t, want 128, false", n, more)
	}
	s.press("G")
	s.want("line 1119", "line 1128")
	if n, _ := s.m.NewLines(); n != 0 || !s.m.Following() {
		t.Errorf("after G: %d new lines, following %t", n, s.m.Following())
	}
}

func TestScrollingReachesEveryLine(t *testing.T) {
	s := show(t, numbered(1, 500), 40, 7, true)
	for range 90 {
		s.press("pgup")
	}
	s.want("line 1", "line 7")
	for range 90 {
		s.press("pgdown")
	}
	s.want("line 494", "line 500")
	s.press("g")
	s.want("line 1", "line 7")
	for i := range 400 {
		s.press("j")
		want := fmt.Sprintf("line %d", i+2)
		if got := s.screen()[0]; got != want {
			t.Fatalf("after %d lines down: first row %q, want %q", i+1, got, want)
		}
	}
}

func TestShortLogStartsAtTheTop(t *testing.T) {
	s := show(t, "a\nb", 20, 5, true)
	got := strings.Join(s.screen(), "|")
	if want := "a|b|||"; got != want {
		t.Errorf("screen %q, want %q", got, want)
	}
	s.press("k", "j", "pgdown", "pgup")
	if got := strings.Join(s.screen(), "|"); got != "a|b|||" {
		t.Errorf("scrolling a short log moved it: %q", got)
	}
}

func TestUnfinishedLineGrows(t *testing.T) {
	s := show(t, "a\n50 %", 20, 3, true)
	s.grow("\r100 %")
	s.want("a", "")
	if got := s.screen()[1]; got != "100 %" {
		t.Errorf("progress line %q, want %q", got, "100 %")
	}
}

func TestWrapShowsWholeLine(t *testing.T) {
	long := strings.Repeat("abcdefghij", 6)
	s := show(t, "one\n"+long+"\ntwo\n", 26, 5, true)
	s.press("w")
	got := strings.Join(s.screen(), "|")
	want := "one|" + long[:25] + "|" + long[25:50] + "|" + long[50:] + "|two"
	if got != want {
		t.Errorf("screen %q, want %q", got, want)
	}
}

func TestSideways(t *testing.T) {
	s := show(t, strings.Repeat("0123456789", 10)+"END\n", 30, 3, true)
	s.press("l")
	if got := s.screen()[0]; got != "‹901234567890123456789012345›" {
		t.Errorf("after l: %q", got)
	}
	s.press("$")
	if got := s.screen()[0]; !strings.HasPrefix(got, "‹") || !strings.HasSuffix(got, "END") {
		t.Errorf("after $: %q", got)
	}
	s.press("0")
	if got := s.screen()[0]; !strings.HasPrefix(got, "0123") || !strings.HasSuffix(got, "›") {
		t.Errorf("after 0: %q", got)
	}
}

func TestJobOutputNeverActsOnTheTerminal(t *testing.T) {
	hostile := "\x1b]0;owned\x07\x1b]52;c;aGk=\x07a\x1b[2Jb\x1b[?1049h\x1b[?1000h\x1bPq#0\x1b\\c\x07\x1b[6n\x9b31m\n"
	s := show(t, hostile, 40, 3, true)
	view := s.m.View()
	for _, bad := range []string{"owned", "\x1b]", "\x07", "\x1b[?", "\x1b[6n", "\x1bP", "\x1b[2J"} {
		if strings.Contains(view, bad) {
			t.Errorf("the view passes %q on: %q", bad, view)
		}
	}
}

func TestSearch(t *testing.T) {
	s := show(t, numbered(1, 300), 40, 10, true)
	cmd, err := s.m.Search("LINE 1", false)
	if err != nil {
		t.Fatal(err)
	}
	s.do(cmd)
	if len(s.notices) != 1 {
		t.Errorf("an upper-case query must not match: notices %q", s.notices)
	}
	cmd, _ = s.m.Search("line 2.$", true)
	s.do(cmd)
	text, cur, total, done := s.m.Query()
	if text != "line 2.$" || cur != 1 || total != 10 || !done {
		t.Errorf("Query() = %q, %d of %d, done %t; want match 1 of 10", text, cur, total, done)
	}
	for range 9 {
		s.press("n")
	}
	if _, cur, _, _ := s.m.Query(); cur != 10 {
		t.Errorf("after nine n: match %d, want 10", cur)
	}
	s.notices = nil
	s.press("n")
	if _, cur, _, _ := s.m.Query(); cur != 1 || len(s.notices) != 1 {
		t.Errorf("n at the end: match %d with notices %q, want 1 and a note", cur, s.notices)
	}
	s.press("N")
	if _, cur, _, _ := s.m.Query(); cur != 10 {
		t.Errorf("N at the start: match %d, want 10", cur)
	}
	if _, err := s.m.Search("(", true); err == nil {
		t.Error("a broken expression is no error")
	}
}

func TestMatchingOnly(t *testing.T) {
	s := show(t, numbered(1, 300), 40, 5, true)
	cmd, _ := s.m.Search("00$", true)
	s.do(cmd)
	s.press("&")
	if got := strings.Join(s.screen(), "|"); got != "line 100|line 200|line 300||" {
		t.Errorf("matching lines: %q", got)
	}
	s.grow("line 400\nother\nline 500\n")
	if got := strings.Join(s.screen(), "|"); got != "line 100|line 200|line 300|line 400|line 500" {
		t.Errorf("after growth: %q", got)
	}
	s.press("&", "g")
	s.want("line 1", "line 5")
}

func TestSearchFindsLaterOutput(t *testing.T) {
	s := show(t, "nothing\n", 40, 5, true)
	cmd, _ := s.m.Search("needle", false)
	s.do(cmd)
	s.grow("a needle\n")
	if _, _, total, _ := s.m.Query(); total != 1 {
		t.Errorf("%d matches, want 1", total)
	}
}

func TestCopy(t *testing.T) {
	s := show(t, numbered(1, 50), 40, 10, true)
	s.press("y")
	if s.copied != "line 50" {
		t.Errorf("y copies %q, want the last line", s.copied)
	}
	s.press("v", "k", "k", "y")
	if want := "line 48\nline 49\nline 50"; s.copied != want {
		t.Errorf("v k k y copies %q, want %q", s.copied, want)
	}
	s.do(s.m.Update(tea.MouseClickMsg{X: 2, Y: 0, Button: tea.MouseLeft}))
	s.do(s.m.Update(tea.MouseMotionMsg{X: 3, Y: 1, Button: tea.MouseLeft}))
	s.do(s.m.Update(tea.MouseReleaseMsg{X: 3, Y: 1, Button: tea.MouseLeft}))
	if want := "ne 41\nline"; s.copied != want {
		t.Errorf("dragging copies %q, want %q", s.copied, want)
	}
}

func TestTripleClickCopiesTheWholeLine(t *testing.T) {
	for name, line := range map[string]string{
		"wrapped":              strings.Repeat("0123456789", 12),
		"longer than is drawn": strings.Repeat("0123456789", maxColumns/10+10) + "end",
	} {
		t.Run(name, func(t *testing.T) {
			s := show(t, "before\n"+line+"\nafter\n", 40, 10, false)
			s.press("w", "g")
			for range 3 {
				s.do(s.m.Update(tea.MouseClickMsg{X: 5, Y: 2, Button: tea.MouseLeft}))
				s.do(s.m.Update(tea.MouseReleaseMsg{X: 5, Y: 2, Button: tea.MouseLeft}))
			}
			if s.copied != line {
				t.Errorf("it copies %d characters, want %d: %.80q", len(s.copied), len(line), s.copied)
			}
		})
	}
}

func TestDoubleClickCopiesAWord(t *testing.T) {
	s := show(t, "at src/main.go:12: 漢字 \"x\" end\nnext\n", 40, 3, true)
	click := func(x int) {
		s.copied = ""
		s.do(s.m.Update(tea.MouseClickMsg{X: x, Y: 0, Button: tea.MouseLeft}))
		s.do(s.m.Update(tea.MouseReleaseMsg{X: x, Button: tea.MouseLeft}))
	}
	for _, want := range []string{"", "src/main.go:12", "at src/main.go:12: 漢字 \"x\" end", ""} {
		if click(7); s.copied != want {
			t.Errorf("a click more copies %q, want %q", s.copied, want)
		}
	}
	s.now = s.now.Add(time.Second)
	click(20)
	if click(20); s.copied != "漢字" {
		t.Errorf("two clicks copy %q", s.copied)
	}
	s.now = s.now.Add(time.Second)
	if click(20); s.copied != "" {
		t.Errorf("a click long after copies %q", s.copied)
	}
	click(35)
	if click(36); s.copied != "" && s.copied != "at src/main.go:12: 漢字 \"x\" end" {
		t.Errorf("clicks behind the line copy %q", s.copied)
	}
}

func TestNumbersAndTimes(t *testing.T) {
	s := show(t, numbered(1, 20), 40, 4, true)
	s.press("#", "T")
	if got, want := s.screen()[3], "03:04:23  20 line 20"; got != want {
		t.Errorf("row %q, want %q", got, want)
	}
}

func TestDroppedOutputIsShown(t *testing.T) {
	s := show(t, "a\nb\n", 40, 4, false)
	s.m.lines[1].Dropped = 3435973836
	if got := s.screen()[1]; got != "[… 3.2 GiB dropped …]" {
		t.Errorf("gap row %q", got)
	}
}

func TestReadErrorIsShown(t *testing.T) {
	s := show(t, "", 60, 4, true)
	s.src.fail = fmt.Errorf("disk on fire")
	s.do(s.m.SetSource(s.src, true))
	if got := s.screen()[0]; !strings.Contains(got, "disk on fire") {
		t.Errorf("row %q does not say why there are no lines", got)
	}
}

func TestReadErrorIsShownWhole(t *testing.T) {
	why := strings.Repeat("gpu2 is unreachable ", 4) + "at\x1b[31m last"
	for _, size := range [][2]int{{30, 6}, {18, 9}, {30, 2}, {1, 1}} {
		s := show(t, "", size[0], size[1], true)
		s.src.fail = errors.New(why)
		s.do(s.m.SetSource(s.src, true))
		got := strings.Join(strings.Fields(strings.Join(s.screen(), " ")), " ")
		if size[1] < 3 {
			if size[0] > 1 && !strings.HasSuffix(got, "…") {
				t.Errorf("%v: what is left out is not marked: %q", size, got)
			}
			continue
		}
		if want := "Can't read the log: " + strings.ReplaceAll(why, "\x1b[31m", ""); got != want {
			t.Errorf("%v: %q, want %q", size, got, want)
		}
	}
}

func TestResultsOfEarlierSourceAreDropped(t *testing.T) {
	s := show(t, numbered(1, 10), 40, 4, true)
	late := s.m.read(s.m.here())
	s.do(s.m.SetSource(&memory{text: "other\n"}, true))
	s.do(late)
	if got := s.screen()[0]; got != "other" {
		t.Errorf("first row %q, want the new source's", got)
	}
}

func TestEverySizeIsExact(t *testing.T) {
	text := "plain\n\x1b[31mred\x1b[m and 漢字かな交じり文 wide\n" + strings.Repeat("x", 500) + "\n\ttab\n"
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 3}, {19, 2}, {20, 3}, {33, 9}, {160, 50}} {
		s := show(t, text, size[0], size[1], true)
		for _, k := range []string{"w", "T", "#", "l", "w", "k", "$"} {
			s.press(k)
			if size[0] > 0 {
				s.screen()
			} else if got := s.m.View(); got != "" {
				t.Errorf("view of no size: %q", got)
			}
		}
	}
}
