// Package themes defines hob's themes and glyphs, and converts them to styles.
//
// A [Palette] has a [Token] for each role (running, waiting, selection …). A [Theme] is a named
// palette for a dark or a light background. [Theme.Styles] returns its [Styles]:
//
//	theme := themes.Default(isDark)
//	styles := theme.Styles(themes.Unicode())
//	row := styles.Text.Render(name)
//
// All roles can be distinguished without color: selections are reversed or have a contrasting
// background, badges have words, and the theme none uses only bold, reverse and underline.
//
// All values are plain data and safe for concurrent use.
package themes

import (
	"fmt"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
)

// Theme is a palette with a name.
type Theme struct {
	Name    string
	Dark    bool // whether the palette is for a dark background
	Palette Palette
}

// Default returns the theme of the terminal's own 16 colors.
func Default(isDark bool) Theme { return terminal(isDark) }

// Names returns the built-in themes, the default first.
func Names() []string {
	return []string{"terminal", "dark", "light", "high-contrast", "catppuccin", "none"}
}

// Named returns a built-in theme. isDark describes the terminal's background. Themes for one kind of
// background ignore it.
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
	return Theme{}, fmt.Errorf("unknown theme %q; use %s", name, strings.Join(Names(), ", "))
}

// Background returns the background color that a program with its own terminal may set, nil for the
// terminal's own.
func (t Theme) Background() color.Color { return t.Palette.Background.BG }

// Foreground returns the color of plain text, nil for the terminal's own.
func (t Theme) Foreground() color.Color { return t.Palette.Text.FG }

// Token is the style of one role. The zero value is the terminal's default text.
type Token struct {
	FG, BG                                 color.Color // nil: the terminal's own
	Bold, Faint, Italic, Underline, Invert bool
}

// Style returns the token as a lipgloss style.
func (t Token) Style() lipgloss.Style {
	s := lipgloss.NewStyle()
	if t.FG != nil {
		s = s.Foreground(t.FG)
	}
	if t.BG != nil {
		s = s.Background(t.BG)
	}
	if t.Bold {
		s = s.Bold(true)
	}
	if t.Faint {
		s = s.Faint(true)
	}
	if t.Italic {
		s = s.Italic(true)
	}
	if t.Underline {
		s = s.Underline(true)
	}
	if t.Invert {
		s = s.Reverse(true)
	}
	return s
}

func (t Token) bold() Token {
	t.Bold = true
	return t
}

// Palette has one token for each role. The names in the configuration are those of the fields in
// kebab-case.
type Palette struct {
	// Background is the background that programs with their own terminal set; nil means
	// the terminal's own. Only BG is used.
	Background Token

	Text   Token // main text
	Muted  Token // secondary: times, hosts, finished rows
	Faint  Token // decoration: line numbers, placeholders
	Accent Token // accent color: focus, marks, progress
	Key    Token // a key in footer and help
	Link   Token // ports, paths, addresses

	Running  Token
	Waiting  Token // a job that needs input
	Starting Token
	Stopping Token
	Failed   Token
	Done     Token
	Lost     Token
	Warning  Token // unreachable hosts, gaps in a log

	Selection        Token // the selected row or text
	SelectionBlurred Token // the selected row of a pane without the focus
	Match            Token // a match of a search
	MatchCurrent     Token // the current match

	Border        Token
	BorderFocused Token
	Title         Token
	TitleFocused  Token
}
