package themes

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// terminal uses the user's own 16 colors. The background determines whether normal or bright
// colors are used, because dark blue on black and yellow on white are not readable. On light
// backgrounds green is a fixed one of the 256 colors: most palettes have a pale one. Gray is the
// faint attribute, because "bright black" equals the background in common palettes. Selections
// use the fixed grays of the 256 colors with readable text, so that they are readable even if the
// background was not detected.
func terminal(isDark bool) Theme {
	var red, green, yellow, accent color.Color = lipgloss.BrightRed, lipgloss.BrightGreen, lipgloss.BrightYellow, lipgloss.BrightCyan
	text, selected, blurred := lipgloss.Color("255"), lipgloss.Color("237"), lipgloss.Color("235")
	if !isDark {
		red, green, yellow, accent = lipgloss.Red, lipgloss.Color("22"), lipgloss.Magenta, lipgloss.Blue
		text, selected, blurred = lipgloss.Color("232"), lipgloss.Color("253"), lipgloss.Color("255")
	}
	return Theme{Name: "terminal", Dark: isDark, Palette: Palette{
		Muted:    Token{Faint: true},
		Faint:    Token{Faint: true},
		Accent:   Token{FG: accent},
		Key:      Token{FG: accent},
		Link:     Token{FG: accent, Underline: true},
		Running:  Token{FG: green},
		Waiting:  Token{FG: yellow, Bold: true},
		Starting: Token{FG: green},
		Stopping: Token{FG: yellow},
		Failed:   Token{FG: red, Bold: true},
		Done:     Token{Faint: true},
		Lost:     Token{FG: red},
		Warning:  Token{FG: yellow},

		Selection:        Token{FG: text, BG: selected, Bold: true},
		SelectionBlurred: Token{FG: text, BG: blurred},
		Match:            Token{FG: lipgloss.Black, BG: lipgloss.Yellow},
		MatchCurrent:     Token{FG: lipgloss.Black, BG: lipgloss.Cyan, Bold: true},

		Border:        Token{Faint: true},
		BorderFocused: Token{},
		Title:         Token{},
		TitleFocused:  Token{FG: accent, Bold: true},
	}}
}

func dark() Theme {
	return Theme{Name: "dark", Dark: true, Palette: shades{
		background: "#16181d", text: "#d7dae0", muted: "#9aa1ad", faint: "#858c98",
		accent: "#7cc7ff", green: "#8bd49c", yellow: "#f2c26b", red: "#ff8f88", orange: "#f5a97f",
		selected: "#2c3d55", blurred: "#262a33", border: "#3d434f",
		match: "#5c4b1f", current: "#f2c26b",
	}.palette()}
}

func light() Theme {
	return Theme{Name: "light", Palette: shades{
		background: "#fbfbf9", text: "#24292f", muted: "#57606a", faint: "#656d76",
		accent: "#0757b8", green: "#176b2c", yellow: "#7d4e00", red: "#b3191f", orange: "#96420b",
		selected: "#cfe3fb", blurred: "#e9ebee", border: "#c3c8ce",
		match: "#fff0b3", current: "#7d4e00",
	}.palette()}
}

// highContrast has a contrast of at least 7:1, and borders with the contrast of text.
func highContrast(isDark bool) Theme {
	s := shades{
		background: "#000000", text: "#ffffff", muted: "#e0e0e0", faint: "#c8c8c8",
		accent: "#5ce1ff", green: "#6dff8a", yellow: "#ffe14d", red: "#ff9e9e", orange: "#ffbf66",
		selected: "#ffffff", selectedText: "#000000", blurred: "#404040", border: "#c8c8c8",
		match: "#6b5600", current: "#ffe14d",
	}
	if !isDark {
		s = shades{
			background: "#ffffff", text: "#000000", muted: "#262626", faint: "#3d3d3d",
			accent: "#003a8c", green: "#00420f", yellow: "#543400", red: "#7a0006", orange: "#662a00",
			selected: "#000000", selectedText: "#ffffff", blurred: "#d4d4d4", border: "#3d3d3d",
			match: "#ffe680", current: "#543400",
		}
	}
	return Theme{Name: "high-contrast", Dark: isDark, Palette: s.palette()}
}

// catppuccin is Mocha on dark and Latte on light backgrounds. Latte's accents are darkened so that
// they are readable as text. The selections are between the palettes' surface colors, so that badges
// keep their colors.
func catppuccin(isDark bool) Theme {
	s := shades{
		background: "#1e1e2e", text: "#cdd6f4", muted: "#a6adc8", faint: "#9399b2",
		accent: "#89b4fa", green: "#a6e3a1", yellow: "#f9e2af", red: "#f38ba8", orange: "#fab387",
		selected: "#3a3b50", blurred: "#2c2d40", border: "#585b70",
		match: "#5b4f3a", current: "#f9e2af",
	}
	if !isDark {
		s = shades{
			background: "#eff1f5", text: "#4c4f69", muted: "#5c5f77", faint: "#62657d",
			accent: "#1457d6", green: "#2a6e1b", yellow: "#885100", red: "#b80c32", orange: "#a33f04",
			selected: "#d6dae3", blurred: "#e6e8ee", border: "#acb0be",
			match: "#f3e1bd", current: "#885100",
		}
	}
	return Theme{Name: "catppuccin", Dark: isDark, Palette: s.palette()}
}

// none is the theme for NO_COLOR: only bold, reverse and underline.
func none(isDark bool) Theme {
	bold := Token{Bold: true}
	return Theme{Name: "none", Dark: isDark, Palette: Palette{
		Accent:  bold,
		Key:     bold,
		Link:    Token{Underline: true},
		Waiting: bold,
		Failed:  bold,
		Lost:    bold,
		Warning: bold,

		Selection:        Token{Invert: true},
		SelectionBlurred: Token{Bold: true, Underline: true},
		Match:            Token{Underline: true},
		MatchCurrent:     Token{Bold: true, Invert: true},

		TitleFocused: Token{Bold: true, Underline: true},
	}}
}

// shades are the colors of a theme with its own colors, as "#rrggbb".
type shades struct {
	background, text, muted, faint     string
	accent, green, yellow, red, orange string
	selected, selectedText             string // selectedText "" is text
	blurred, border                    string
	match /* behind text */, current   string // current is behind background
}

func (s shades) palette() Palette {
	fg := func(hex string) Token { return Token{FG: rgb(hex)} }
	selectedText := s.selectedText
	if selectedText == "" {
		selectedText = s.text
	}
	return Palette{
		Background: Token{BG: rgb(s.background)},
		Text:       fg(s.text),
		Muted:      fg(s.muted),
		Faint:      fg(s.faint),
		Accent:     fg(s.accent),
		Key:        fg(s.accent),
		Link:       Token{FG: rgb(s.accent), Underline: true},

		Running:  fg(s.green),
		Waiting:  fg(s.yellow).bold(),
		Starting: fg(s.green),
		Stopping: fg(s.orange),
		Failed:   fg(s.red).bold(),
		Done:     fg(s.muted),
		Lost:     fg(s.red),
		Warning:  fg(s.orange),

		Selection:        Token{FG: rgb(selectedText), BG: rgb(s.selected), Bold: true},
		SelectionBlurred: Token{FG: rgb(s.text), BG: rgb(s.blurred)},
		Match:            Token{FG: rgb(s.text), BG: rgb(s.match)},
		MatchCurrent:     Token{FG: rgb(s.background), BG: rgb(s.current), Bold: true},

		Border:        fg(s.border),
		BorderFocused: fg(s.faint),
		Title:         fg(s.muted),
		TitleFocused:  fg(s.accent).bold(),
	}
}

func rgb(hex string) color.Color { return lipgloss.Color(hex) }
