package dialog_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/dialog"
)

// asked is a dialog with its answer.
type asked struct {
	*dialog.Model
	name string
	done bool
}

func (a *asked) answer(name string) tea.Cmd {
	a.name, a.done = name, true
	return nil
}

func ask() *asked {
	a := &asked{}
	a.Model = dialog.Ask("Remove npm run dev?",
		[]string{"It is running. It will be stopped, then its files go.", "u brings the files back for 5 seconds."},
		[]dialog.Choice{{Name: "keep", Label: "Keep it"}, {Name: "remove", Label: "Stop and remove", Danger: true, Yes: true}},
		keymap.Default().Dialog, themes.Default(true).Styles(themes.Unicode()), a.answer)
	a.SetSize(80, 24)
	return a
}

func menu() *asked {
	a := &asked{}
	a.Model = dialog.Menu("Signal to npm run dev", []dialog.Choice{
		{Name: "SIGTERM", Label: "SIGTERM", Note: "end, please"},
		{Name: "SIGINT", Label: "SIGINT", Note: "as Ctrl+C"},
		{Name: "SIGHUP", Label: "SIGHUP", Note: "hang up, reload"},
	}, keymap.Default().Dialog, themes.Default(true).Styles(themes.Unicode()), a.answer)
	a.SetSize(80, 24)
	return a
}

func sized(d *asked, w, h int) *asked {
	d.SetSize(w, h)
	return d
}

func TestViews(t *testing.T) {
	t.Run("question", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(ask().View())) })
	t.Run("menu", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(menu().View())) })
	t.Run("narrow", func(t *testing.T) {
		d := ask()
		d.SetSize(30, 24)
		golden.RequireEqual(t, ansi.Strip(d.View()))
	})
	for name, d := range map[string]*asked{"low question": ask(), "low menu": menu()} {
		t.Run(name, func(t *testing.T) {
			d.SetSize(40, 4)
			golden.RequireEqual(t, ansi.Strip(d.View()))
		})
	}
	t.Run("smallest", func(t *testing.T) {
		d := ask()
		d.SetSize(20, 4)
		d.Update(tea.KeyPressMsg{Code: tea.KeyTab})
		golden.RequireEqual(t, ansi.Strip(d.View()))
	})
}

// The marked answer, which Enter selects, is visible in a box of any size.
func TestMarkedAnswerIsVisible(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 9}, {40, 4}, {24, 4}, {24, 3}} {
		d := ask()
		d.SetSize(size[0], size[1])
		for _, label := range []string{"Keep it", "Stop and remove"} {
			view := ansi.Strip(d.View())
			if !strings.Contains(view, label) || strings.Count(view, "\n") >= size[1] {
				t.Errorf("%v: %q is not seen, or the box is too high:\n%s", size, label, view)
			}
			d.Update(tea.KeyPressMsg{Code: tea.KeyTab})
		}
	}
}

func TestAnswers(t *testing.T) {
	enter, tab, esc := tea.KeyPressMsg{Code: tea.KeyEnter}, tea.KeyPressMsg{Code: tea.KeyTab}, tea.KeyPressMsg{Code: tea.KeyEscape}
	letter := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }
	tests := map[string]struct {
		dialog *asked
		keys   []tea.KeyPressMsg
		want   string
		done   bool
	}{
		"Enter takes the safe answer": {ask(), []tea.KeyPressMsg{enter}, "keep", true},
		"Tab Enter takes the other":   {ask(), []tea.KeyPressMsg{tab, enter}, "remove", true},
		"around the end":              {ask(), []tea.KeyPressMsg{tab, tab, enter}, "keep", true},
		"yes":                         {ask(), []tea.KeyPressMsg{letter('y')}, "remove", true},
		"no":                          {ask(), []tea.KeyPressMsg{letter('n')}, "", true},
		"Esc":                         {ask(), []tea.KeyPressMsg{esc}, "", true},
		"any other key stays":         {ask(), []tea.KeyPressMsg{letter('x')}, "", false},
		"menu":                        {menu(), []tea.KeyPressMsg{letter('j'), enter}, "SIGINT", true},
		"menu: y is no answer":        {menu(), []tea.KeyPressMsg{letter('y')}, "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, k := range tt.keys {
				tt.dialog.Update(k)
			}
			if got := tt.dialog; got.name != tt.want || got.done != tt.done {
				t.Errorf("answer is %q, %v, want %q, %v", got.name, got.done, tt.want, tt.done)
			}
		})
	}
}

func TestClickSelectsChoice(t *testing.T) {
	for name, tt := range map[string]struct {
		dialog *asked
		label  string
		want   string
	}{
		"answer": {ask(), "Stop and remove", "remove"},
		"narrow": {sized(ask(), 24, 9), "Stop and remove", "remove"},
		"entry":  {menu(), "SIGHUP", "SIGHUP"},
	} {
		t.Run(name, func(t *testing.T) {
			for y, line := range strings.Split(ansi.Strip(tt.dialog.View()), "\n") {
				if before, _, ok := strings.Cut(line, tt.label); ok && y > 0 && !strings.Contains(line, "?") {
					tt.dialog.Click(cells.Width(before), y)
				}
			}
			if got := tt.dialog.name; got != tt.want {
				t.Errorf("answer is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSmallSizes(t *testing.T) {
	for _, w := range []int{0, 1, 4, 9, 20} {
		for _, d := range []*asked{ask(), menu()} {
			d.SetSize(w, 4)
			for i, line := range strings.Split(d.View(), "\n") {
				if got := cells.Width(line); got > w {
					t.Errorf("%d columns: line %d is %d wide", w, i, got)
				}
			}
		}
	}
}
