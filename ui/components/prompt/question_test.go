package prompt_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// What is asked stands above where the answer is typed, also where there is next
// to no room; the cursor stands in the answer.
func TestQuestions(t *testing.T) {
	var all strings.Builder
	for _, size := range [][2]int{{70, 0}, {40, 8}, {40, 5}, {20, 4}} {
		f := question(size[0], size[1])
		for y, line := range strings.Split(f.View(), "\n") {
			if cells.Width(line) != size[0] {
				t.Errorf("at %v row %d has %d columns", size, y, cells.Width(line))
			}
			all.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
		}
		at := f.Cursor()
		rows := strings.Split(ansi.Strip(f.View()), "\n")
		if !strings.Contains(rows[at.Y], "not shown") {
			t.Errorf("at %v the cursor is in row %d: %q", size, at.Y, rows[at.Y])
		}
	}
	golden.RequireEqual(t, []byte(all.String()))
}

func question(w, h int) *prompt.Form {
	styles := themes.Default(true).Styles(themes.Unicode())
	f := prompt.NewForm("web1", keys(), styles.Prompt, styles.Dialog, styles.Glyphs)
	f.Add("Answer", "", prompt.WithSecret())
	f.SetQuestion("passphrase of the key /home/me/.ssh/id_ed25519, which opens web1")
	f.SetSize(w, h)
	return f
}
