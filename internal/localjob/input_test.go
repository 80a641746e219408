//go:build linux || darwin

package localjob

import (
	"slices"
	"testing"
)

func TestStripEcho(t *testing.T) {
	for name, tt := range map[string]struct {
		want   string // echo that is expected
		read   []string
		shown  string
		remain string // emitted at the end
	}{
		"nothing expected":            {"", []string{"Ann\r\n"}, "Ann\r\n", ""},
		"the echo":                    {"Ann\r\n", []string{"Ann\r\n"}, "", ""},
		"in pieces":                   {"Ann\r\n", []string{"A", "nn", "\r", "\n"}, "", ""},
		"output before it":            {"Ann\r\n", []string{"Name? Ann\r\n"}, "Name? ", ""},
		"output after it":             {"Ann\r\n", []string{"Ann\r\nAnn\r\n"}, "Ann\r\n", ""},
		"two lines":                   {"a\r\nb\r\n", []string{"a\r\nb\r\n"}, "", ""},
		"output between lines":        {"a\r\nb\r\n", []string{"a\r\nnext? ", "b\r\n"}, "next? ", ""},
		"a line without its end":      {"Ann", []string{"Ann"}, "", ""},
		"a false begin":               {"Ann\r\n", []string{"An", "Ann\r\n"}, "An", ""},
		"a false begin in it":         {"aab\r\n", []string{"aa", "ab\r\n"}, "a", ""},
		"no echo":                     {"Ann\r\n", []string{"Password: "}, "Password: ", ""},
		"only the begin of an echo":   {"Ann\r\n", []string{"Name? An"}, "Name? ", "An"},
		"an echo that never followed": {"Ann\r\n", nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var shown, late []byte
			e := &echo{want: []byte(tt.want), emit: func(p []byte) { late = slices.Clone(p) }}
			for _, piece := range tt.read {
				shown = append(shown, e.strip([]byte(piece))...)
			}
			e.giveUp()
			if string(shown) != tt.shown || string(late) != tt.remain {
				t.Errorf("shown %q and then %q, want %q and %q", shown, late, tt.shown, tt.remain)
			}
			if len(e.strip([]byte("Ann\r\n"))) != 5 {
				t.Error("an echo is still expected")
			}
		})
	}
}
