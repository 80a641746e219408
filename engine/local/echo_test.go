//go:build linux || darwin

package local_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// What is typed into a terminal that is for input only is not in the log, whatever it is.
func TestEchoIsNotInTheLog(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var lines strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&lines, "line %d\n", n)
	}
	for name, tt := range map[string]struct {
		script string
		typed  []string
		want   string
	}{
		"a line":             {"read -r x; echo got $x", []string{"Ann\n"}, "got Ann\n"},
		"with Enter":         {"read -r x; echo got $x", []string{"Ann\r"}, "got Ann\n"},
		"not only ASCII":     {"read -r x; echo got $x", []string{"Ändre 世界\n"}, "got Ändre 世界\n"},
		"piece by piece":     {"read -r x; echo got $x", []string{"An", "n", "\n"}, "got Ann\n"},
		"an empty line":      {"read -r x; echo \"got <$x>\"", []string{"\n"}, "got <>\n"},
		"several lines":      {"read -r x; read -r y; echo $x$y", []string{"a\nb\n"}, "ab\n"},
		"typed ahead":        {"sleep 0.5; read -r x; echo got $x", []string{"Ann\n"}, "got Ann\n"},
		"a tab":              {"read -r x; echo \"$x\"", []string{"a\tb\n"}, "a\tb\n"},
		"much":               {"while read -r x && [ \"$x\" != end ]; do :; done; echo $x", []string{lines.String(), "end\n"}, "end\n"},
		"a line after a key": {"read -r x; read -r y; echo $x$y", []string{"a\x7fb\n", "c\n"}, "bc\n"},
		"a prompt that ends the same": {
			"printf 'y\\n? ' >/dev/tty; read -r x; printf 'y\\n' >/dev/tty", []string{"y\n"}, "y\n? y\n",
		},
		"hidden": {"stty -echo; echo ready; read -r x; stty echo; echo ${#x}", []string{"secret\n"}, "ready\n6\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := p.start(t, engine.Spec{TTYStdin: true, Script: tt.script})
			for _, before := range []string{"? ", "ready"} {
				if strings.Contains(tt.want, before) {
					s.printed(t, before)
				}
			}
			for _, typed := range tt.typed {
				if err := s.run.Write(t.Context(), []byte(typed)); err != nil {
					t.Fatal(err)
				}
			}
			s.wait(t)
			if got := strings.ReplaceAll(s.output(t), "\r\n", "\n"); got != tt.want {
				t.Errorf("the log has %.200q, want %q", got, tt.want)
			}
		})
	}
}

// Input whose echo cannot be recognized turns the echo off. Then hob does not know what a program
// shows of what is typed.
func TestEntryIsUnknownAfterKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{TTYStdin: true, Script: "read -r x; read -r y; read -r z; sleep 100"})
	eventually(t, "a question", func() bool { st := s.state(t); return st.Waiting && st.Entry == engine.EntryOpen })
	if err := s.run.Write(t.Context(), []byte("a\x7fb\n")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the entry is unknown", func() bool { st := s.state(t); return st.Waiting && st.Entry == engine.EntryUnknown })
}
