package cells_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/cells"
)

func TestFit(t *testing.T) {
	tests := map[string]struct {
		in   string
		w    int
		want string
	}{
		"pads":                   {"ab", 4, "ab  "},
		"cuts":                   {"abcdef", 3, "abc"},
		"exact":                  {"abc", 3, "abc"},
		"no columns":             {"abc", 0, ""},
		"negative":               {"abc", -1, ""},
		"half of a wide char":    {"a日本", 2, "a "},
		"wide characters":        {"日本", 5, "日本 "},
		"combining":              {"e\u0301x", 3, "e\u0301x "},
		"style does not count":   {"\x1b[31mab\x1b[m", 3, "\x1b[31mab\x1b[m "},
		"style survives the cut": {"\x1b[31mabc\x1b[m", 2, "\x1b[31mab\x1b[m"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := cells.Fit(tt.in, tt.w); got != tt.want {
				t.Errorf("Fit(%q, %d) = %q, want %q", tt.in, tt.w, got, tt.want)
			}
		})
	}
}

func TestTruncate(t *testing.T) {
	tests := map[string]struct {
		got, want string
	}{
		"middle keeps both ends":        {cells.TruncateMiddle("npm run dev --port 5173", 11, "…"), "npm r… 5173"},
		"middle leaves what fits":       {cells.TruncateMiddle("npm", 3, "…"), "npm"},
		"middle without room for marks": {cells.TruncateMiddle("abcdef", 2, "…"), "ab"},
		"middle of wide characters":     {cells.TruncateMiddle("日本語日本語", 7, "…"), "日…語"},
		"end":                           {cells.Truncate("abcdef", 4, "…"), "abc…"},
		"start keeps the end":           {cells.TruncateStart("/home/me/project", 9, "…"), "…/project"},
		"left padding":                  {cells.FitLeft("9s", 5), "   9s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
}

// BenchmarkFit pads a line like those of the panes: styled, in a frame, with glyphs.
func BenchmarkFit(b *testing.B) {
	line := "\x1b[2m│\x1b[m\x1b[32m● running\x1b[m  café" + strings.Repeat(" word", 12) + "… 22m\x1b[2m┃\x1b[m"
	b.ReportAllocs()
	for b.Loop() {
		cells.Fit(line, 120)
	}
}

// Every character up to the end of the symbols has the width that ansi.StringWidth reports, alone, before
// and after a letter, and before what changes the width of a cluster.
func TestWidthOfCharacters(t *testing.T) {
	for r := rune(0); r < 0x3000; r++ {
		for _, s := range []string{string(r), "a" + string(r), string(r) + "b", string(r) + "\ufe0f", string(r) + "\u0301", string(r) + "\u200d\u2717"} {
			if got, want := cells.Width(s), ansi.StringWidth(s); got != want {
				t.Errorf("Width(%+q) = %d, want %d", s, got, want)
			}
		}
	}
}

// Width has a fast path, which must agree with ansi.StringWidth.
func FuzzWidth(f *testing.F) {
	for _, s := range []string{
		"", "abc", "\x1b[1;31mab\x1b[m c", "a\tb", "日本", "e\u0301", "\x1b[", "\x1b[1", "\x1b", "\x1b]0;t\x07a", "a\x1b[?25lb", "\x1b[3\x07a", "\x7f", "a\x9bmb", "\x1b[\x1b[31ma", "\x1b[é", "│é×\u00ad…", "✓\ufe0f", "↔\u200d↔",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := cells.Width(s), ansi.StringWidth(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	})
}

func TestClean(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain":                {"npm run dev", "npm run dev"},
		"color":                {"\x1b[31mred\x1b[m", "red"},
		"title":                {"a\x1b]0;evil\x07b", "ab"},
		"line breaks and tabs": {"a\nb\tc\r", "a b c "},
		"bell and other C0":    {"a\x07b\x00c", "abc"},
		"C1":                   {"a\u009b31mb", "a31mb"},
		"right-to-left mark":   {"exe.\u202etxt", "exe.txt"},
		"other scripts":        {"日本 é", "日本 é"},
		"combining":            {"e\u0301 ก็", "e\u0301 ก็"},
		"a flag":               {"🇩🇪 de", "DE de"},
		"joined":               {"a 👩\u200d👩\u200d👧 b", "a 👩 b"},
		"skin tone":            {"👍🏽!", "👍!"},
		"emoji by variant":     {"❤\ufe0f x", "❤ x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := cells.Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestOverlay(t *testing.T) {
	tests := map[string]struct {
		back, box []string
		x, y      int
		want      []string
	}{
		"inside":          {[]string{"aaaa", "bbbb"}, []string{"XX"}, 1, 1, []string{"aaaa", "bXXb"}},
		"below the end":   {[]string{"aaaa"}, []string{"XX", "YY"}, 0, 0, []string{"XXaa"}},
		"cut at the edge": {[]string{"aaaa"}, []string{"XXX"}, 2, 0, []string{"aaXX"}},
		"on wide chars":   {[]string{"日本日"}, []string{"X"}, 1, 0, []string{" X本日"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cells.Overlay(tt.back, tt.box, tt.x, tt.y)
			var got []string
			for _, line := range tt.back {
				got = append(got, ansi.Strip(line))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;x")
	f.Fuzz(func(t *testing.T, s string) {
		got := cells.Clean(s)
		if strings.ContainsAny(got, "\x1b\n\r\x07\u009b") {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		if w := cells.Width(cells.Fit(got, 7)); w != 7 {
			t.Errorf("Fit(%q, 7) has width %d", got, w)
		}
	})
}

func TestWrapTo(t *testing.T) {
	for name, tt := range map[string]struct {
		w, h int
		want string
	}{
		"fits":          {20, 2, "one two three"},
		"wraps":         {8, 2, "one two|three"},
		"cuts the last": {5, 2, "one|two …"},
		"no room":       {5, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(cells.WrapTo("one two three", tt.w, tt.h, "…"), "|"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
