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
	if !isBound(k) {
		return l.keyLabel(k), nil
	}
	for _, o := range l.opts.outer {
		if k.Keys()[0] == o.key {
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
