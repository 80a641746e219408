package security

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile is text that would set a title, fill the clipboard, clear the screen,
// answer for the user, start a string of eight-bit controls, turn the reading
// direction round and overwrite the line it is on.
const hostile = "a\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[6n\x1bP$q\"p\x1b\\\u009b31m\u202egnp.exe\rb\nc\x00d"

// TestNothingOfAJobActsOnTheTerminal gives a job a hostile name, directory,
// command, title and output, and looks at what each verb prints.
func TestNothingOfAJobActsOnTheTerminal(t *testing.T) {
	s := play(t)
	dir := filepath.Join(s.Dir, strings.ReplaceAll(hostile, "\x00", ""))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	noNUL := strings.ReplaceAll(hostile, "\x00", "")
	script := filepath.Join(s.Dir, "print")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncat \"$0.txt\"\necho up\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script+".txt", []byte(hostile+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := s.Must(t, "run", "-b", "-n", noNUL, "-C", dir, script, noNUL)
	s.Must(t, "wait", "--for", "up", id)
	for _, verb := range [][]string{
		{"list"}, {"list", "--json"}, {"status", id}, {"status", "--json", id}, {"log", id}, {"log", "--json", id}, {"poll", id}, {"screen", id},
		{"screen", "--json", id}, {"prompt"}, {"status", "a\x1b[2J"}, {"clear", id}, {"run", "-b", "-C", noNUL, "true"},
		{"restart", noNUL}, {"kill", id}, {"kill", noNUL}, {"clear", id},
	} {
		out, _, err := s.Ask(verb...)
		if err != nil {
			// The error names what was called, and that is hostile.
			_, complaint, _ := strings.Cut(err.Error(), ": exit ")
			out += complaint
		}
		for _, r := range out {
			// A mark that turns the direction is text where the text of the job
			// is what was asked for.
			text := verb[0] == "log" || verb[0] == "poll" || verb[0] == "screen"
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == '\u202e' && !text) {
				t.Errorf("hob %q prints %q:\n%q", verb, r, out)
				break
			}
		}
	}
}
