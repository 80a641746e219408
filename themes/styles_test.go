package themes

import (
	"reflect"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

func TestGlyphsAreOneColumn(t *testing.T) {
	for set, glyphs := range map[string]Glyphs{"unicode": Unicode(), "ascii": ASCII()} {
		for name, g := range allGlyphs(glyphs) {
			if ansi.StringWidth(g) != 1 || displaywidth.String(g) != 1 {
				t.Errorf("%s %s: %q is %d columns wide", set, name, g, ansi.StringWidth(g))
			}
			if len([]rune(g)) != 1 {
				t.Errorf("%s %s: %q is more than one character", set, name, g)
			}
			if set == "ascii" && (g[0] < 0x20 || g[0] > 0x7e) {
				t.Errorf("%s: %q is not ASCII", name, g)
			}
		}
		if len(glyphs.Spark) != 9 {
			t.Errorf("%s: a sparkline has %d steps", set, len(glyphs.Spark))
		}
	}
}

// The glyphs of badges differ, so that the state is visible without the word.
func TestBadgeGlyphsDiffer(t *testing.T) {
	for set, g := range map[string]Glyphs{"unicode": Unicode(), "ascii": ASCII()} {
		seen := map[string]bool{}
		for _, s := range []string{g.Starting, g.Running, g.Waiting, g.Stopping, g.Stopped, g.Done, g.Failed, g.Lost, g.Unread, g.Unreachable} {
			if seen[s] {
				t.Errorf("%s: %q is used for two states", set, s)
			}
			seen[s] = true
		}
	}
}

func allGlyphs(g Glyphs) map[string]string {
	all := map[string]string{}
	for f, v := range reflect.ValueOf(g).Fields() {
		switch x := v.Interface().(type) {
		case string:
			all[f.Name] = x
		case []string:
			for _, s := range x {
				all[f.Name+" "+s] = s
			}
		case lipgloss.Border:
			for f, v := range reflect.ValueOf(x).Fields() {
				all["Border."+f.Name] = v.String()
			}
		}
	}
	return all
}

// A summary consists of ASCII with ASCII glyphs, except for what a job printed.
func TestSummaryHasGlyphsOfTheSet(t *testing.T) {
	ascii, unicode := ASCII(), Unicode()
	for text, want := range map[string]string{
		"failed 38×: connection refused · in 52s": "failed 38x: connection refused - in 52s",
		"200 GET / · :5173, :5174":                "200 GET / - :5173, :5174",
		"image 3×4 of größe.png":                  "image 3×4 of größe.png",
		"":                                        "",
	} {
		if got := ascii.Summary(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if got := unicode.Summary(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
