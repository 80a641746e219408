// Command embed is the smallest program with hob's pane: a line of its own, and the jobs below it.
package main

import (
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/ui"
)

type host struct {
	pane   *ui.Pane
	notice string
}

func (h *host) Init() tea.Cmd { return h.pane.Init() }

func (h *host) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		h.pane.SetOrigin(0, 1)
		return h, h.pane.SetSize(msg.Width, msg.Height-1)
	case ui.LeaveMsg:
		return h, tea.Quit
	case ui.CopyMsg:
		return h, tea.SetClipboard(msg.Text)
	case ui.AttentionMsg:
		h.notice = fmt.Sprintf("%s: %s", msg.Job.Name, msg.Why)
		return h, nil
	}
	return h, h.pane.Update(msg)
}

func (h *host) View() tea.View {
	v := tea.NewView("my program   " + h.notice + "\n" + h.pane.View())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	if c := h.pane.Cursor(); c != nil {
		c.Y++ // the pane begins on the second line
		v.Cursor = c
	}
	return v
}

func main() {
	if local.IsHolder() { // this program also holds the jobs it starts
		os.Exit(local.RunHolder())
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

func run() error {
	eng, err := engine.New(engine.WithClient("embed"), engine.WithBackend(local.New()))
	if err != nil {
		return err
	}
	pane := ui.NewPane(eng)
	_, err = tea.NewProgram(&host{pane: pane}).Run()
	return errors.Join(err, pane.Close(), eng.Close())
}
