package ui_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui"
)

// host is a minimal program around a pane.
type host struct{ pane *ui.Pane }

func (h host) Init() tea.Cmd { return h.pane.Init() }

func (h host) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		cmd = h.pane.SetSize(msg.Width, msg.Height)
	case ui.LeaveMsg:
		return h, tea.Quit
	default:
		cmd = h.pane.Update(msg)
	}
	if strings.Contains(ansi.Strip(h.pane.View()), "index the code") {
		return h, tea.Quit // for this example: stop once something is visible
	}
	return h, cmd
}

func (h host) View() tea.View {
	v := tea.NewView(h.pane.View())
	v.AltScreen, v.Cursor = true, h.pane.Cursor()
	return v
}

// A minimal program with a pane. It shows the jobs of an engine; quitting it does not end them.
func ExampleNewPane() {
	dir, err := os.MkdirTemp("", "hob-example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	eng, err := engine.New(engine.WithStateDir(dir))
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	if _, err := eng.NewExecution(engine.ExecutionSpec{Name: "index the code"}); err != nil {
		panic(err)
	}

	pane := ui.NewPane(eng)
	defer pane.Close()
	program := tea.NewProgram(host{pane}, tea.WithInput(strings.NewReader("")), tea.WithOutput(io.Discard), tea.WithWindowSize(100, 20))
	if _, err := program.Run(); err != nil {
		panic(err)
	}
	for line := range strings.Lines(ansi.Strip(pane.View())) {
		if strings.Contains(line, "running   index the code") {
			fmt.Println(line[:strings.Index(line, " code")+len(" code")])
			break
		}
	}
	fmt.Println("jobs still running:", pane.Running())

	// Output:
	// │▌● running   index the code
	// jobs still running: 1
}
