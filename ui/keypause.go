package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// ignoreKeysTime is how long keys are ignored after the focus has moved by itself: the user was typing
// for the previous target.
const ignoreKeysTime = 500 * time.Millisecond

// keyPause ignores keys for a moment after the focus has moved by itself. A question that appears and a job that
// gives up the keyboard begin it; [Pane.press] asks whether it is on.
type keyPause struct {
	tasks *tasks
	on    bool
	timer int
}

// begin ignores keys for a moment.
func (k *keyPause) begin() tea.Cmd {
	k.on = true
	return k.tasks.latest(&k.timer, ignoreKeysTime, func() tea.Cmd {
		k.on = false
		return nil
	})
}
