// Command floorui is the floor that the UI is measured against: a Bubble Tea program that shows one
// line, which never changes, until it gets a signal.
package main

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

type line string

func (line) Init() tea.Cmd                         { return nil }
func (l line) Update(tea.Msg) (tea.Model, tea.Cmd) { return l, nil }
func (l line) View() tea.View                      { return tea.NewView(string(l)) }

func main() {
	if _, err := tea.NewProgram(line("nothing happens here")).Run(); err != nil {
		fmt.Fprintln(os.Stderr, "floorui:", err)
		os.Exit(1)
	}
}
