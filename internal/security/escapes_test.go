package security

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/hobjobs/hob/internal/testtool"
)

// hostile is text that sets a title, writes to the clipboard, clears the screen, causes a reply that
// looks like input, starts a string with 8-bit controls, reverses the reading direction and overwrites
// its line.
const hostile = "a\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[6n\x1bP$q\"p\x1b\\\u009b31m\u202egnp.exe\rb\nc\x00d"

// TestCommandsPrintNoControlCharacters runs a job with a hostile name, directory, command, title and
// output, and checks the output of all commands.
func TestCommandsPrintNoControlCharacters(t *testing.T) {
	s := newStage(t)
	dir := filepath.Join(s.Dir, strings.ReplaceAll(hostile, "\x00", ""))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	noNUL := strings.ReplaceAll(hostile, "\x00", "")
	script := filepath.Join(s.Dir, "print")
	testtool.WriteScript(t, script, "cat \"$0.txt\"\necho up\nexec sleep 1000")
	if err := os.WriteFile(script+".txt", []byte(hostile+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := s.Must(t, "run", "-b", "-n", noNUL, "-C", dir, script, noNUL)
	s.Must(t, "wait", "--for", "up", id)
	for _, command := range [][]string{
		{"list"}, {"list", "--json"}, {"status", id}, {"status", "--json", id}, {"log", id}, {"log", "--json", id}, {"poll", id}, {"screen", id},
		{"screen", "--json", id}, {"prompt"}, {"status", "a\x1b[2J"}, {"clear", id}, {"run", "-b", "-C", noNUL, "true"},
		{"restart", noNUL}, {"kill", id}, {"kill", noNUL}, {"clear", id},
	} {
		out, _, err := s.Ask(command...)
		if err != nil {
			// The error contains the arguments, which are hostile.
			_, message, _ := strings.Cut(err.Error(), ": exit ")
			out += message
		}
		for _, r := range out {
			// In the text of the job, direction marks are allowed.
			text := command[0] == "log" || command[0] == "poll" || command[0] == "screen"
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || r == '\u202e' && !text) {
				t.Errorf("hob %q prints %q:\n%q", command, r, out)
				break
			}
		}
	}
}
