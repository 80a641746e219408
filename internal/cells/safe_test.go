package cells_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/cells"
)

func TestEscape(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":             {"npm run dev", "npm run dev"},
		"other alphabets":   {"größe 構築 ✓", "größe 構築 ✓"},
		"newline":           {"a\nb", `a\nb`},
		"escape sequence":   {"\x1b[31mred", `\x1b[31mred`},
		"title":             {"\x1b]0;x\x07", `\x1b]0;x\a`},
		"C1 control":        {"a\u009bb", `a\u009bb`},
		"delete":            {"a\x7f", `a\x7f`},
		"not UTF-8":         {"a\xffb", `a\xffb`},
		"right to left":     {"a\u202eb", `a\u202eb`},
		"backslash is data": {`a\nb`, `a\nb`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cells.Escape(c.in); got != c.want {
				t.Errorf("cells.Escape(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "a\x1b[2Jb", "\xc2\x9b", "\u202e\xff\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range cells.Escape(s) {
			if r == utf8.RuneError || unicode.IsControl(r) {
				t.Fatalf("cells.Escape(%q) = %q keeps %q", s, cells.Escape(s), r)
			}
		}
	})
}
