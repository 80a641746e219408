package ui

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// This file has how the leave key is explained. A program around hob may keep some of its presses.

// narrowHint is the minimum width for explaining why a key must be pressed twice.
const narrowHint = 80

// leaveKey returns the key presses with which hob gets the leave key once, and the programs
// around hob that keep some of them because they have the same prefix.
func (l *labels) leaveKey() (presses string, keepers []string) {
	k := l.opts.keys.Terminal.Leave
	for _, o := range l.opts.outer {
		if isBound(k) && k.Keys()[0] == o.key {
			keepers = append(keepers, o.program)
		}
	}
	switch label := l.keyLabel(k); len(keepers) {
	case 0:
		return label, nil
	case 1:
		return label + " twice", keepers
	default:
		return label + " " + strconv.Itoa(1<<len(keepers)) + " times", keepers
	}
}

// leaveNote explains the leave key in help.
func (l *labels) leaveNote() string {
	k := l.opts.keys.Terminal.Leave
	if !isBound(k) {
		return "No key sends an attached job to the background."
	}
	label := l.keyLabel(k)
	presses, keepers := l.leaveKey()
	note := presses + " sends the job on screen to the background"
	if len(keepers) > 0 {
		note += " (" + strings.Join(keepers, " and ") + " keeps the first)"
	}
	again := "twice"
	if len(keepers) > 0 {
		again = strconv.Itoa(2<<len(keepers)) + " times"
	}
	return note + ". Press it " + again + " quickly to send " + label + " to the job."
}

// firstCommand returns the shell command that an empty list suggests; empty if the filter of the pane
// would not show its job.
func (l *labels) firstCommand() string {
	j := engine.Job{Request: engine.Request{CreatedBy: "cli"}, State: engine.State{Status: engine.Running}}
	if !l.opts.filter.Selects(&j) {
		return ""
	}
	return "hob run npm run dev"
}

// firstWords explains the leave key to a user without jobs, because no other screen shows it.
func (l *labels) firstWords() []string {
	k := l.opts.keys.Terminal.Leave
	if !isBound(k) {
		return nil
	}
	presses, keepers := l.leaveKey()
	words := []string{"While a job is on screen, " + l.keyLabel(k) + " sends it to the background."}
	if len(keepers) > 0 {
		words = append(words, "Inside "+strings.Join(keepers, " and ")+", press "+presses+".")
	}
	return words
}
