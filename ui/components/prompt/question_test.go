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

// The question is above the answer, even with very little room; the cursor is in the answer.
func TestQuestions(t *testing.T) {
	var all strings.Builder
	passphrase := []string{"passphrase of the key /home/me/.ssh/id_ed25519, which opens web1"}
	server := []string{"Corporate login", "This machine belongs to Example Inc. Use is logged.", "Verification code"}
	for _, q := range []struct {
		w, h int
		text []string
	}{
		{70, 0, passphrase}, {40, 8, passphrase}, {40, 5, passphrase}, {20, 4, passphrase},
		{70, 0, server}, {40, 8, server}, {40, 6, server}, {40, 4, server}, {20, 3, server},
	} {
		size := [2]int{q.w, q.h}
		f := question(q.w, q.h, q.text)
		for y, line := range strings.Split(f.View(), "\n") {
			if cells.Width(line) != size[0] {
				t.Errorf("at %v row %d has %d columns", size, y, cells.Width(line))
			}
			all.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
		}
		at := f.Cursor()
		rows := strings.Split(ansi.Strip(f.View()), "\n")
		if !strings.Contains(rows[at.Y], "hidden") {
			t.Errorf("at %v the cursor is in row %d: %q", size, at.Y, rows[at.Y])
		}
	}
	golden.RequireEqual(t, []byte(all.String()))
}

func question(w, h int, text []string) *prompt.Form {
	styles := themes.Default(true).Styles(themes.Unicode())
	f := prompt.NewForm("web1", keys(), styles)
	f.Add("Answer", "", prompt.Options{Secret: true})
	f.SetQuestion(text...)
	f.SetSize(w, h)
	return f
}
