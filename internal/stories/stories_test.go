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

// The story first_use has the lines of README.md, so that they work.
func TestFirstUseOfReadmeIsTold(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	story, err := os.ReadFile(filepath.Join("testdata", "script", "first_use.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(readme), "## First use")
	_, lines, _ = strings.Cut(lines, "```sh\n")
	lines, _, _ = strings.Cut(lines, "```")
	told := strings.ReplaceAll(string(story), "sleep 2\n", "sleep 20\n") // sooner over
	seen := 0
	for line := range strings.Lines(lines) {
		command, _, _ := strings.Cut(line, " #")
		if !strings.Contains(told, strings.TrimSpace(command)+"\n") {
			t.Errorf("the story does not have %q", command)
		}
		seen++
	}
	if seen < 5 {
		t.Errorf("only %d lines were found", seen)
	}
}
