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

func TestUTF8(t *testing.T) {
	for _, tt := range []struct {
		goos, all, ctype, lang string
		want                   bool
	}{
		{"linux", "", "", "", false},
		{"darwin", "", "", "", true},
		{"windows", "", "", "", true},
		{"linux", "", "", "en_US.UTF-8", true},
		{"linux", "", "", "de_DE.utf8@euro", true},
		{"linux", "", "", "C", false},
		{"linux", "", "C", "en_US.UTF-8", false},
		{"linux", "", "UTF-8", "C", true},
		{"linux", "C", "UTF-8", "en_US.UTF-8", false},
		{"linux", "C.UTF-8", "C", "POSIX", true},
		{"linux", "", "", "de_DE.ISO-8859-1", false},
		{"darwin", "C", "", "", false},
	} {
		environ := map[string]string{"LC_ALL": tt.all, "LC_CTYPE": tt.ctype, "LANG": tt.lang}
		if got := UTF8(tt.goos, func(name string) string { return environ[name] }); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
