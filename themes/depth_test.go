package themes

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// With 256 colors, text is readable and grays stay gray.
func TestThemesIn256Colors(t *testing.T) {
	for _, theme := range []Theme{dark(), light(), highContrast(true), highContrast(false), catppuccin(true), catppuccin(false)} {
		least := 4.5
		if theme.Name == "high-contrast" {
			least = 6.3
		}
		before := map[string]Token{}
		for name, token := range theme.Palette.Tokens() {
			before[name] = token
		}
		shown := theme.For(colorprofile.ANSI256)
		for name, token := range shown.Palette.Tokens() {
			if slices.Contains(decoration, name) {
				continue
			}
			bg := token.BG
			if bg == nil {
				bg = shown.Background()
			}
			if got := contrast(token.FG, bg); got < least {
				t.Errorf("%s, dark %v: %s has %.1f:1, less than %.1f:1", theme.Name, theme.Dark, name, got, least)
			}
			for _, pair := range [][2]color.Color{{before[name].FG, token.FG}, {before[name].BG, token.BG}} {
				if pair[0] != nil && saturation(pair[0]) < 0.05 && saturation(pair[1]) > 0.05 {
					t.Errorf("%s, dark %v: %s is gray and becomes %v", theme.Name, theme.Dark, name, pair[1])
				}
			}
		}
		if shown.Background() != theme.Background() {
			t.Errorf("%s: the background is %v", theme.Name, shown.Background())
		}
	}
}

// saturation is the distance from gray, 0 to about 0.6.
func saturation(c color.Color) float64 {
	lab := perceived(c)
	return math.Hypot(lab[1], lab[2])
}

// With 16 colors, a theme with its own colors is replaced by the terminal theme.
func TestThemesIn16Colors(t *testing.T) {
	for _, theme := range everyTheme(t) {
		shown := theme.For(colorprofile.ANSI)
		if shown.Name != theme.Name {
			t.Errorf("%s is called %s", theme.Name, shown.Name)
		}
		for name, token := range shown.Palette.Tokens() {
			for _, c := range []color.Color{token.FG, token.BG} {
				if _, basic := c.(ansi.BasicColor); c != nil && !basic {
					t.Errorf("%s: %s is %v", theme.Name, name, c)
				}
			}
		}
	}
}

func TestThemesInTrueColor(t *testing.T) {
	for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ASCII, colorprofile.NoTTY} {
		if got := dark().For(profile); got != dark() {
			t.Errorf("%v changes the theme", profile)
		}
	}
	own, err := terminal(true).Override(map[string]string{"running": "208", "failed": "#ff8f88"})
	if err != nil {
		t.Fatal(err)
	}
	p := own.For(colorprofile.ANSI256).Palette
	if p.Running.FG != lipgloss.Color("208") || p.Failed.FG != ansi.IndexedColor(210) || p.Lost.FG != lipgloss.BrightRed {
		t.Errorf("the overrides become %v, %v, %v", p.Running.FG, p.Failed.FG, p.Lost.FG)
	}
}
