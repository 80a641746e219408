package themes

import "charm.land/lipgloss/v2"

// Styles has the glyphs, and a style for each token of a [Palette] that is drawn. The styles have no
// padding, margin or width, because components do their own layout.
type Styles struct {
	Glyphs Glyphs

	Text, Muted, Faint, Accent, Key, Link                             lipgloss.Style
	Running, Waiting, Starting, Stopping, Failed, Done, Lost, Warning lipgloss.Style
	Selection, SelectionBlurred, Match, MatchCurrent                  lipgloss.Style
	Border, BorderFocused, Title, TitleFocused                        lipgloss.Style

	Strong       lipgloss.Style // text in bold
	AccentStrong lipgloss.Style // accent in bold
	PaneFocused  lipgloss.Style // the title of the pane that has the focus
	Cut          lipgloss.Style // where a line continues to the side
}

// Styles returns the styles of the theme with glyphs.
func (t Theme) Styles(g Glyphs) *Styles {
	p := t.Palette
	blurred, focused, cut := p.SelectionBlurred, p.TitleFocused, p.Faint
	if blurred.BG == nil {
		blurred.Underline = false // in the list, a bar marks the row
	}
	focused.Invert, focused.Underline = !focused.Invert, false
	if cut == (Token{}) { // it must differ from the text
		cut.Invert = true
	}
	return &Styles{
		Glyphs: g,
		Text:   p.Text.Style(), Muted: p.Muted.Style(), Faint: p.Faint.Style(),
		Accent: p.Accent.Style(), Key: p.Key.Style(), Link: p.Link.Style(),
		Running: p.Running.Style(), Waiting: p.Waiting.Style(), Starting: p.Starting.Style(), Stopping: p.Stopping.Style(),
		Failed: p.Failed.Style(), Done: p.Done.Style(), Lost: p.Lost.Style(), Warning: p.Warning.Style(),
		Selection: p.Selection.Style(), SelectionBlurred: blurred.Style(),
		Match: p.Match.Style(), MatchCurrent: p.MatchCurrent.Style(),
		Border: p.Border.Style(), BorderFocused: p.BorderFocused.Style(),
		Title: p.Title.Style(), TitleFocused: p.TitleFocused.Style(),
		Strong: p.Text.bold().Style(), AccentStrong: p.Accent.bold().Style(),
		PaneFocused: focused.Style(), Cut: cut.Style(),
	}
}
