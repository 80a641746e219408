package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hobjobs/hob/keymap"
)

// A leaveKey finds the chord that leaves a job in what a terminal sends. It is
// looked for only between pastes, and a terminal sends a key in one piece.
type leaveKey struct {
	label    string
	patterns [][]byte
	pasting  bool
}

// newLeaveKey makes the finder of the bound chords. One that no plain terminal
// can send (not Ctrl with a letter or one of [ \ ] ^ _) cannot be found; when
// none can, label is empty.
func newLeaveKey(keys []string) *leaveKey {
	k := &leaveKey{}
	for _, name := range keys {
		char, ok := strings.CutPrefix(name, "ctrl+")
		if !ok || len(char) != 1 || !strings.Contains("abcdefghijklmnopqrstuvwxyz\\]^_", char) {
			continue
		}
		c := char[0]
		k.patterns = append(k.patterns,
			[]byte{c & 0x1f},
			fmt.Appendf(nil, "\x1b[%d;5u", c),    // kitty keyboard protocol
			fmt.Appendf(nil, "\x1b[%d;5:1u", c),  // with event types
			fmt.Appendf(nil, "\x1b[27;5;%d~", c), // modifyOtherKeys
		)
		if k.label == "" {
			k.label = keymap.Label(name)
		}
	}
	return k
}

var (
	pasteBegin = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// find splits p before the chord. found is false when p is all for the job.
func (k *leaveKey) find(p []byte) (before []byte, found bool) {
	for at := 0; at < len(p); {
		rest := p[at:]
		if k.pasting {
			end := bytes.Index(rest, pasteEnd)
			if end < 0 {
				return p, false
			}
			k.pasting = false
			at += end + len(pasteEnd)
			continue
		}
		if bytes.HasPrefix(rest, pasteBegin) {
			k.pasting = true
			at += len(pasteBegin)
			continue
		}
		for _, pattern := range k.patterns {
			if bytes.HasPrefix(rest, pattern) {
				return p[:at], true
			}
		}
		at++
	}
	return p, false
}
