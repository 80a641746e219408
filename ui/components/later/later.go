// Package later is how slow work of a component continues in Update: the only message of its
// commands is the function that takes the result.
package later

import tea "charm.land/bubbletea/v2"

// Msg is a function to be called in Update. It returns the next command.
type Msg func() tea.Cmd

// Run runs f as a command, and the function that f returns in Update. The latter is skipped if *gen
// has changed in between, because the result is outdated.
func Run(gen *int, f func() (then func() tea.Cmd)) tea.Cmd {
	began := *gen
	return func() tea.Msg {
		then := f()
		return Msg(func() tea.Cmd {
			if *gen != began {
				return nil
			}
			return then()
		})
	}
}
