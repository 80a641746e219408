package themes

import (
	"errors"
	"image/color"
	"reflect"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// Tokens returns the tokens with their names.
func (p Palette) Tokens() map[string]Token {
	all := map[string]Token{}
	for name, t := range p.tokens() {
		all[name] = *t
	}
	return all
}

// decoration are the tokens that are not used for text, and need no contrast.
var decoration = []string{"background", "border"}

// If a theme sets both colors, the contrast is sufficient: WCAG's 4.5:1, and
// 7:1 for high contrast.
func TestTextContrast(t *testing.T) {
	for _, theme := range []Theme{dark(), light(), highContrast(true), highContrast(false), catppuccin(true), catppuccin(false)} {
		name := theme.Name + map[bool]string{true: " on dark", false: " on light"}[theme.Dark]
		t.Run(name, func(t *testing.T) {
			least := 4.5
			if theme.Name == "high-contrast" {
				least = 7
			}
			for token, look := range theme.Palette.Tokens() {
				if slices.Contains(decoration, token) {
					continue
				}
				fg, bg := look.FG, look.BG
				if bg == nil {
					bg = theme.Background()
				}
				if got := contrast(fg, bg); got < least {
					t.Errorf("%s: contrast is %.2f:1, less than %.1f:1", token, got, least)
				}
			}
			if light := luminance(theme.Background()) > 0.5; light == theme.Dark {
				t.Errorf("Dark is %v, which contradicts the background", theme.Dark)
			}
		})
	}
}

// Selected rows are drawn without other styles, except for matches, which must differ from the
// selection.
func TestSelectionStandsOut(t *testing.T) {
	for _, theme := range everyTheme(t) {
		p := theme.Palette
		for name, look := range map[string]Token{"selection": p.Selection, "match-current": p.MatchCurrent} {
			if look.BG == nil && !look.Invert {
				t.Errorf("%s: %s has neither a background nor reverse", theme.Name, name)
			}
			if look.BG != nil && look.FG == nil {
				t.Errorf("%s: %s sets a background but not the foreground", theme.Name, name)
			}
		}
		for _, pair := range [][2]Token{{p.Selection, p.SelectionBlurred}, {p.Match, p.MatchCurrent}, {p.Selection, p.Match}, {p.Text, p.Match}, {p.Title, p.TitleFocused}} {
			if pair[0] == pair[1] {
				t.Errorf("%s: two roles that must differ are equal: %+v", theme.Name, pair[0])
			}
		}
	}
}

// A badge keeps its color in the selected row, as foreground or background.
func TestBadgeContrastOnSelection(t *testing.T) {
	for _, theme := range []Theme{dark(), light(), highContrast(true), highContrast(false), catppuccin(true), catppuccin(false)} {
		s := theme.Styles(Unicode())
		for _, selection := range []lipgloss.Style{s.Selection, s.SelectionBlurred} {
			for name, badge := range map[string]lipgloss.Style{
				"running": s.Running, "waiting": s.Waiting, "failed": s.Failed, "done": s.Done,
				"lost": s.Lost, "stopping": s.Stopping, "starting": s.Starting,
			} {
				on := OnSelection(badge, selection)
				own := badge.GetForeground()
				if kept := on.GetForeground() == own || on.GetBackground() == own; !kept && name == "failed" {
					t.Errorf("%s, dark %v: %s loses its color on a selection", theme.Name, theme.Dark, name)
				}
				if got := contrast(on.GetForeground(), on.GetBackground()); got < readable {
					t.Errorf("%s, dark %v: %s on a selection: %.2f:1", theme.Name, theme.Dark, name, got)
				}
			}
		}
	}
}

// The terminal theme may use only colors that are readable in all palettes: no gray of the 16
// colors (the background in some palettes), no dark blue on dark, no yellow or green on light, where
// a fixed color must be readable on white and on a selection.
func TestTerminalThemeUsesReadableColors(t *testing.T) {
	for _, isDark := range []bool{true, false} {
		for token, look := range terminal(isDark).Palette.Tokens() {
			if look.BG != nil {
				continue // sets both colors
			}
			if look.FG == nil {
				continue
			}
			basic, ok := look.FG.(ansi.BasicColor)
			if !ok {
				selection := terminal(isDark).Palette.Selection.BG
				if isDark || contrast(look.FG, color.White) < readable || contrast(look.FG, selection) < readable {
					t.Errorf("dark %v: %s has the fixed color %v", isDark, token, look.FG)
				}
				continue
			}
			bad := []ansi.BasicColor{ansi.Black, ansi.White, ansi.BrightBlack, ansi.BrightWhite}
			if isDark {
				bad = append(bad, ansi.Blue)
			} else {
				bad = append(bad, ansi.Yellow, ansi.BrightYellow, ansi.Green, ansi.BrightGreen, ansi.BrightCyan)
			}
			if slices.Contains(bad, basic) {
				t.Errorf("dark %v: %s has color %d", isDark, token, basic)
			}
		}
	}
}

func TestNoneUsesNoColors(t *testing.T) {
	for _, isDark := range []bool{true, false} {
		for token, look := range none(isDark).Palette.Tokens() {
			if look.FG != nil || look.BG != nil || look.Faint || look.Italic {
				t.Errorf("%s uses more than bold, reverse and underline: %+v", token, look)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, name := range Names() {
		for _, isDark := range []bool{true, false} {
			theme, err := Named(name, isDark)
			if err != nil || theme.Name != name {
				t.Errorf("Named(%q) is %q, %v", name, theme.Name, err)
			}
		}
	}
	if _, err := Named("solarised", true); err == nil || !strings.Contains(err.Error(), "catppuccin") {
		t.Errorf("an unknown theme: %v", err)
	}
	if got := Default(true); got.Name != "terminal" || !got.Dark {
		t.Errorf("the default is %q, dark %v", got.Name, got.Dark)
	}
}

// All styles are built from the palette: if no token is zero, no style is zero.
func TestBuildSetsAllStyles(t *testing.T) {
	var p Palette
	for _, token := range p.tokens() {
		*token = Token{FG: lipgloss.Red, BG: lipgloss.Blue}
	}
	styles := reflect.ValueOf(*Theme{Palette: p}.Styles(Unicode()))
	for f, v := range styles.Fields() {
		if style, ok := v.Interface().(lipgloss.Style); ok && style.Render("x") == "x" {
			t.Errorf("%s is not built", f.Name)
		}
	}
}

func TestTokenStyle(t *testing.T) {
	for name, tt := range map[string]struct {
		token Token
		want  string
	}{
		"plain":      {Token{}, "x"},
		"colors":     {Token{FG: lipgloss.Red, BG: lipgloss.Blue}, "\x1b[31;44mx\x1b[m"},
		"attributes": {Token{Bold: true, Invert: true}, "\x1b[1;7mx\x1b[m"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.token.Style().Render("x"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseToken(t *testing.T) {
	for in, want := range map[string]Token{
		"red":                     {FG: lipgloss.Red},
		"bright-blue":             {FG: lipgloss.BrightBlue},
		"gray":                    {FG: lipgloss.BrightBlack},
		"208":                     {FG: lipgloss.Color("208")},
		"#f80":                    {FG: lipgloss.Color("#f80")},
		"Bold #FF8800 on default": {FG: lipgloss.Color("#ff8800"), Bold: true},
		"black on yellow":         {FG: lipgloss.Black, BG: lipgloss.Yellow},
		"on 236 underline":        {BG: lipgloss.Color("236"), Underline: true},
		"dim italic":              {Faint: true, Italic: true},
		"reverse":                 {Invert: true},
		"default":                 {},
	} {
		t.Run(in, func(t *testing.T) {
			got, err := ParseToken(in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for in, want := range map[string]string{
		"": "empty", "rde": `unknown color or attribute "rde"`, "256": "0 to 255", "#12345": "#rrggbb", "#ggg": "#rrggbb", "red on": "missing color",
		"on bold red": "expected a color", "bright-gray-ish": "unknown color", "#-12": "#rrggbb",
	} {
		if _, err := ParseToken(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseToken(%q): %v, want %q in it", in, err, want)
		}
	}
}

func TestOverride(t *testing.T) {
	base := dark()
	theme, err := base.Override(map[string]string{
		"running": "bold #00ff00", "background": "#101010", "runing": "red", "failed": "rde",
	})
	if want := (Token{FG: lipgloss.Color("#00ff00"), Bold: true}); theme.Palette.Running != want {
		t.Errorf("running is %+v", theme.Palette.Running)
	}
	if theme.Background() != lipgloss.Color("#101010") {
		t.Errorf("background is %v", theme.Background())
	}
	if theme.Palette.Failed != base.Palette.Failed {
		t.Error("a refused look was applied")
	}
	if base.Palette != dark().Palette {
		t.Error("Override changed its receiver")
	}
	if !errors.Is(err, ErrUnknownToken) || !strings.Contains(err.Error(), "runing: ") || !strings.Contains(err.Error(), "failed: ") {
		t.Errorf("error is %v", err)
	}
}

func everyTheme(t *testing.T) []Theme {
	var all []Theme
	for _, name := range Names() {
		for _, isDark := range []bool{true, false} {
			theme, err := Named(name, isDark)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, theme)
		}
	}
	return all
}
