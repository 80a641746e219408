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

// A character of no width leaves the width of the text before it as it is, unless it asks for emoji.
func TestCombiningCharactersDoNotWiden(t *testing.T) {
	for _, base := range []string{"e", "~", "é", "ж", "漢", "한", "👍", "e\u0301", "\u2602", "1"} {
		for r := rune(0x80); r < firstWidening; r++ {
			if cellWidth(r) == 0 && displaywidth.String(base+string(r)) != displaywidth.String(base) {
				t.Errorf("%q after %q changes the width", r, base)
			}
		}
	}
}
