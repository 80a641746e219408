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
