package logfile

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFirstRunesAndLastRunes(t *testing.T) {
	const (
		family = "👨‍👩‍👧‍👦" // 7 characters
		flag   = "🇩🇪"
		accent = "e\u0301\u0302"
	)
	for _, tt := range []struct {
		s           string
		n           int
		first, last string
	}{
		{"abcdef", 3, "abc", "def"},
		{"abc", 3, "abc", "abc"},
		{"abc", 0, "", ""},
		{"", 3, "", ""},
		{"aé日😀", 2, "aé", "日😀"},
		{"abc", 9, "abc", "abc"},
		{"a" + family + "b", 8, "a" + family, family + "b"},
		{"a" + family + "b", 7, "a", "b"},
		{"a" + family + "b", 1, "a", "b"},
		{family + family, 10, family, family},
		{family, 3, "", ""},
		{"x\n" + family + "\ny", 4, "x\n", "\ny"},
		{flag + flag + flag, 3, flag, flag},
		{accent + accent, 4, accent, accent},
		{"a\r\nb", 2, "a", "b"},
		{strings.Repeat("语", 10), 4, "语语语语", "语语语语"},
		{"a" + strings.Repeat("\u0301", 5000), 4000, "a" + strings.Repeat("\u0301", 3999), strings.Repeat("\u0301", 4000)},
	} {
		if got := FirstRunes(tt.s, tt.n); got != tt.first {
			t.Errorf("First(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.first)
		}
		if got := LastRunes(tt.s, tt.n); got != tt.last {
			t.Errorf("Last(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.last)
		}
	}
}

func FuzzFirstRunesAndLastRunes(f *testing.F) {
	f.Add("a👨‍👩‍👧\r\n\xffé", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(n, 0)
		for _, cut := range []string{FirstRunes(s, n), LastRunes(s, n)} {
			if utf8.RuneCountInString(cut) > n {
				t.Errorf("%q has more than %d characters", cut, n)
			}
		}
		if !strings.HasPrefix(s, FirstRunes(s, n)) || !strings.HasSuffix(s, LastRunes(s, n)) {
			t.Errorf("%q and %q of %q", FirstRunes(s, n), LastRunes(s, n), s)
		}
	})
}
