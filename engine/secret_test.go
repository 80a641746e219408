package engine_test

import (
	"testing"

	"github.com/hobjobs/hob/engine"
)

func TestNeedsSecretForPrompts(t *testing.T) {
	for line, want := range map[string]bool{
		"[sudo] password for me: ":                   true,
		"Enter passphrase for key '/k/id_ed25519': ": true,
		"PIN:":                      true,
		"API token? ":               true,
		"Your PASSWORD ?":           true,
		"Deploy now? [y/N] ":        false,
		"Password changed. Go on? ": false,
		"Name of the spin: ":        false,
		"Does it spin? ":            false,
		"":                          false,
	} {
		if (engine.Job{}).NeedsSecret("last words", line) != want {
			t.Errorf("%q asks for a secret: %v", line, !want)
		}
	}
}
