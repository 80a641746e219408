package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestExitCodesNameCommands(t *testing.T) {
	var names []string
	for _, cmd := range allOf((&app{}).newRoot()) {
		names = append(names, commandName(cmd))
	}
	for _, c := range exitCodes() {
		for _, name := range c.commands {
			if !slices.Contains(names, name) {
				t.Errorf("%s: no command %q", c.code, name)
			}
		}
	}
	if text := exitStatusOf("wait"); !strings.Contains(text, "\n  124       timed out\n") || strings.Contains(text, "forwarded") {
		t.Errorf("wait: %s", text)
	}
}

// docs/scripts.md has the same codes.
func TestExitCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range exitRows("`") {
		if line := "| " + row.Term + " | " + row.Text + " |\n"; !strings.Contains(string(page), line) {
			t.Errorf("docs/scripts.md does not have\n%s", line)
		}
	}
}
