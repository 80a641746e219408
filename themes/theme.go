// Package themes holds hob's colours and glyphs as data, and the one builder
// that turns them into styles.
//
// A [Palette] names roles (running, waiting, selection …), never colours. A
// [Theme] is a named palette for a dark or a light background. [Theme.Styles]
// is a pure function from palette and glyphs to the [Styles] that components
// get, each its own section:
//
//	theme := themes.Default(isDark)
//	styles := theme.Styles(themes.Unicode())
//	row := styles.List.Name.Render(name)
//
// Every role is legible without colour: selection reverses or paints a
// contrasting background, badges carry words, the theme none uses only bold,
// reverse and underline.
//
// All values are plain data without shared state; concurrent use is safe.
package themes

import (
	"fmt"
	"image/color"
	"strings"
)

// Theme is a palette with a name.
type Theme struct {
	Name    string
	Dark    bool // whether its palette is meant for a dark background
	Palette Palette
}

// Default returns the theme of the terminal's own 16 colours.
func Default(isDark bool) Theme { return terminal(isDark) }

// Names returns the built-in themes, the default first.
func Names() []string {
	return []string{"terminal", "dark", "light", "high-contrast", "catppuccin", "none"}
}

// Named returns a built-in theme. isDark says what the terminal's background
// is; themes that are made for one background ignore it.
func Named(name string, isDark bool) (Theme, error) {
	switch name {
	case "", "terminal":
		return terminal(isDark), nil
	case "dark":
		return dark(), nil
	case "light":
		return light(), nil
	case "high-contrast":
		return highContrast(isDark), nil
	case "catppuccin":
		return catppuccin(isDark), nil
	case "none":
		return none(isDark), nil
	}
	return Theme{}, fmt.Errorf("no theme %q; there are %s", name, strings.Join(Names(), ", "))
}

// Background returns the colour that a program which owns the terminal may
// paint, nil for the terminal's own.
func (t Theme) Background() color.Color { return t.Palette.Background.BG }

// Foreground returns the colour of plain text, nil for the terminal's own.
func (t Theme) Foreground() color.Color { return t.Palette.Text.FG }

// Styles builds the styles of every component.
func (t Theme) Styles(g Glyphs) Styles { return build(t.Palette, g) }
