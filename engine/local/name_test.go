//go:build linux || darwin

package local_test

import (
	"testing"

	"github.com/hobjobs/hob/internal/ahead"
	"github.com/hobjobs/hob/internal/proc"
)

func TestHoldersAreStartedUnderTheNameThatTheyAreKnownBy(t *testing.T) {
	if ahead.Name != proc.HolderName {
		t.Errorf("started as %q, known as %q", ahead.Name, proc.HolderName)
	}
}
