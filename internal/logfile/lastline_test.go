package logfile

import (
	"strings"
	"testing"
)

func TestLastLine(t *testing.T) {
	tests := map[string]struct{ output, want string }{
		"nothing":              {"", ""},
		"only white space":     {"\n \n\t\n", ""},
		"a complete line":      {"one\r\ntwo\r\n\r\n", "two"},
		"a prompt":             {"one\r\nEnter a value: ", "Enter a value:"},
		"progress in one line": {"one\n 10%\r 20%\r 30%", "30%"},
		"colors":               {"\x1b[31mred\x1b[m\n", "red"},
		"after an editor":      {"one\n\x1b[?1049h~ text\x1b[?1049ltwo\n", "two"},
		"an editor alone":      {"one\n\x1b[?1049h~ text\x1b[?1049l", ""},
		"an open editor":       {"one\n\x1b[1;1H~ text\x1b[24;1H-- INSERT --", ""},
		"a cleared screen":     {"\x1b[H\x1b[2Jready\n", "ready"},
		"binary data":          {"text\n\x00\x00\x00\x01", ""},
		"cut characters":       {"\xa4\xa4 one\n", "one"},
		"a long line":          {strings.Repeat("é", 300), strings.Repeat("é", maxLastLine)},
		"more than is read":    {strings.Repeat("line\n", LastLineRead), "line"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := LastLine([]byte(tt.output)); got != tt.want {
				t.Errorf("LastLine() = %q, want %q", got, tt.want)
			}
		})
	}
}
