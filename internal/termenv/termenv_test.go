package termenv

import "testing"

func TestDescribes(t *testing.T) {
	for name, want := range map[string]bool{
		"TERM": true, "COLORTERM": true, "LINES": true, "COLUMNS": true, "STY": true, "TERMCAP": true,
		"TMUX": true, "TMUX_PANE": true, "TERM_PROGRAM": true, "TERM_PROGRAM_VERSION": true,
		"": false, "TERMINAL": false, "LINE": false, "STYLE": false, "PATH": false, "term": false,
	} {
		if got := Describes(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
