package cells_test

import (
	"testing"

	"github.com/hobjobs/hob/internal/cells"
)

func TestName(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		w    int
		mark string
		want string
	}{
		"fits":                {"npm run dev", 20, "…", "npm run dev"},
		"too long":            {"npm run dev --port 5173", 11, "…", "npm r… 5173"},
		"cut before":          {"a very long na…", 20, "…", "a very long na…"},
		"cut before, again":   {"a very long na…", 8, "…", "a very …"},
		"the mark of a theme": {"a very long na…", 20, "~", "a very long na~"},
		"no room":             {"a very long na…", 0, "…", ""},
		"room for the mark":   {"a very long na…", 1, "…", "…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cells.Name(tt.in, tt.w, tt.mark); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWithMark(t *testing.T) {
	for in, want := range map[string]string{"npm run dev": "npm run dev", "a very long na…": "a very long na~", "…": "~", "": ""} {
		if got := cells.WithMark(in, "~"); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
