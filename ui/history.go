package ui

import (
	"slices"

	"github.com/hobjobs/hob/engine"
)

// history is what the user has typed in this session, newest first.
type history struct {
	searches []string
	plain    bool // the last search was for plain text
	commands []string
	actions  []string              // chosen in the palette, by id
	lines    []string              // lines sent to jobs
	unsent   map[engine.ID]string  // unsent lines, by job
	drafts   map[engine.ID]jobText // text of canceled forms, by the job to restart ("": none)
}

func newHistory() *history {
	return &history{unsent: map[engine.ID]string{}, drafts: map[engine.ID]jobText{}}
}

// lastSearch returns the last search, or "".
func (h *history) lastSearch() string {
	if len(h.searches) == 0 {
		return ""
	}
	return h.searches[0]
}

func (h *history) searched(text string, plain bool) {
	h.searches, h.plain = remember(h.searches, text), plain
}

// chose adds an action that was chosen in the palette.
func (h *history) chose(id string) { h.actions = remember(h.actions, id) }

// sinceChosen returns how many other actions were chosen in the palette after this one, or more than
// all of them.
func (h *history) sinceChosen(id string) int {
	if i := slices.Index(h.actions, id); i >= 0 {
		return i
	}
	return len(h.actions)
}

func (h *history) started(command string) { h.commands = remember(h.commands, command) }

// sent adds a line that was sent to a job.
func (h *history) sent(id engine.ID, line string) {
	delete(h.unsent, id)
	h.lines = remember(h.lines, line)
}

// keep keeps unsent text for the next prompt to the same job.
func (h *history) keep(id engine.ID, text string) {
	if text == "" {
		delete(h.unsent, id)
		return
	}
	h.unsent[id] = text
}

// remember adds text to the front of a history.
func remember(history []string, text string) []string {
	if text == "" {
		return history
	}
	const most = 50
	history = slices.DeleteFunc(history, func(s string) bool { return s == text })
	history = slices.Insert(history, 0, text)
	return history[:min(len(history), most)]
}
