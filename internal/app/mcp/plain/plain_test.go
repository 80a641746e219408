package plain

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/logfile"
)

func TestClean(t *testing.T) {
	for printed, want := range map[string]string{
		"downloading\r\x1b[Kok\n":              "ok\n",
		"10 %\r20 %\r\x1b[2Kdone":              "done",
		"a line\r\nanother\r\n":                "a line\nanother\n",
		"typo\b\b\b\b\x1b[Kword":               "word",
		"\x1b]8;;http://x\x07link\x1b]8;;\x07": "link",
		"tab\tkept, bell\a not":                "tab\tkept, bell not",
		"\u202eabc\U000e0041":                  "abc",
		"not \xff text":                        "not \uFFFD text",
		"./a\x00./b\x00":                       "./a\n./b\n",
		"\xff\xfea\x00b\x00c\x00d\x00":         "\uFFFD\uFFFDabcd",
	} {
		if got := Clean([]byte(printed)); got != want {
			t.Errorf("%q becomes %q, want %q", printed, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain\n", "\x1b[31mred\x1b[0m", "a\rb\bc", "\xff\xc2\x85", "\u202eabc\U000e0041", "\x1b]8;;http://x\x07l\x1b]8;;\x07"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		got := Clean(p)
		if !utf8.ValidString(got) {
			t.Errorf("%q is no text", got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0xe0000 && r <= 0xe007f {
				t.Errorf("%q is left in %q", r, got)
			}
		}
		if again := Clean([]byte(got)); again != got {
			t.Errorf("%q becomes %q the second time", got, again)
		}
	})
}

func TestTruncationKeepsRunes(t *testing.T) {
	for _, tt := range []struct {
		s           string
		n           int
		first, last string
	}{
		{"", 3, "", ""}, {"é🙂x", 0, "", ""}, {"é🙂x", 1, "é", "x"}, {"é🙂x", 2, "é🙂", "🙂x"}, {"é🙂x", 9, "é🙂x", "é🙂x"},
	} {
		if got := logfile.FirstRunes(tt.s, tt.n); got != tt.first {
			t.Errorf("first %d of %q: %q", tt.n, tt.s, got)
		}
		if got := logfile.LastRunes(tt.s, tt.n); got != tt.last {
			t.Errorf("last %d of %q: %q", tt.n, tt.s, got)
		}
	}
}
