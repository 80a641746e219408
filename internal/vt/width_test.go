package vt

import (
	"testing"

	"github.com/clipperhouse/displaywidth"
)

func TestRuneWidthMatchesUI(t *testing.T) {
	for r := range rune(0x110000) {
		if got, want := RuneWidth(r), displaywidth.Rune(r); got != want {
			t.Errorf("%U: got %d, want %d", r, got, want)
		}
	}
}
