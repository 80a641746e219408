//go:build unix

package stories_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobjobs/hob/internal/storytest"
)

func TestMain(m *testing.M) { storytest.Main(m) }

// TestScripts runs the stories in testdata/script.
func TestScripts(t *testing.T) {
	storytest.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script")})
}

// Stories run the lines of these pages, so that the lines are known to work.
func TestLinesOfPagesAreTold(t *testing.T) {
	for _, page := range []struct {
		file, after string // the lines follow this text
		story       string
		least       int
	}{
		{"README.md", "## First use", "first_use", 5},
		{"docs/uninstall.md", "on this machine:", "uninstall", 6},
		{"docs/uninstall.md", "Completion scripts are", "uninstall", 1},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", page.file))
		if err != nil {
			t.Fatal(err)
		}
		story, err := os.ReadFile(filepath.Join("testdata", "script", page.story+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		_, lines, _ := strings.Cut(string(text), page.after)
		_, lines, _ = strings.Cut(lines, "```sh\n")
		lines, _, _ = strings.Cut(lines, "```")
		told := strings.ReplaceAll(string(story), "sleep 2\n", "sleep 20\n") // sooner over
		seen := 0
		for line := range strings.Lines(lines) {
			command, _, _ := strings.Cut(line, " #")
			command = strings.TrimSpace(command)
			if !strings.Contains(told, " "+command+"\n") && !strings.Contains(told, "sh -c '"+command+"'\n") {
				t.Errorf("%s: the story does not have %q", page.file, command)
			}
			seen++
		}
		if seen < page.least {
			t.Errorf("%s: only %d lines were found", page.file, seen)
		}
	}
}
