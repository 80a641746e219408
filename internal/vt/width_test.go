package vt

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

func TestWidthIsThatOfTheUI(t *testing.T) {
	for r := range rune(0x110000) {
		if got, want := RuneWidth(r), displaywidth.Rune(r); got != want {
			t.Errorf("%U: got %d, want %d", r, got, want)
		}
	}
	for _, s := range []string{"", "abc", "漢字", "e\u0301", "👩\u200d💻", "❤\ufe0f", "❤", "🇩🇪", "👍🏽", "한글", "a\u200db"} {
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Errorf("%q: got %d, want %d", s, got, want)
		}
	}
}
