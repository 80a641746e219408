package themes

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Token is how one role looks. The zero value is the terminal's own text.
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

// bold returns the token in bold.
func (t Token) bold() Token {
	t.Bold = true
	return t
}

// underlined returns the token underlined.
func (t Token) underlined() Token {
	t.Underline = true
	return t
}

// Palette is what a theme decides: one token a role. The names of the fields
// in kebab-case are the names in configuration.
type Palette struct {
	// Background is painted behind everything by programs that own the
	// terminal; nil leaves the terminal's own. Only BG counts.
	Background Token

	Text   Token // what is read
	Muted  Token // secondary: times, hosts, finished rows
	Faint  Token // furniture: line numbers, placeholders
	Accent Token // the one accent: focus, marks, progress
	Key    Token // a key in footer and help
	Link   Token // ports, paths, addresses

	Running  Token
	Waiting  Token // a job that needs the person
	Starting Token
	Stopping Token
	Failed   Token
	Done     Token
	Lost     Token
	Warning  Token // unreachable hosts, gaps in a log

	Selection        Token // the selected row or text
	SelectionBlurred Token // the selected row of a pane without the focus
	Match            Token // a hit of a search
	MatchCurrent     Token // the hit that n and N are at

	Border        Token
	BorderFocused Token
	Title         Token
	TitleFocused  Token
}
