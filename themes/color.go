package themes

import (
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// For returns the theme with colors that a terminal with this profile supports. For 256 colors,
// each token gets the color that looks most similar, and grays stay gray. With 16 colors, which the
// user can change, a theme with its own colors would not be readable and is replaced by the
// terminal theme. The background is not converted, because it is set by an OSC sequence.
func (t Theme) For(p colorprofile.Profile) Theme {
	switch p {
	case colorprofile.ANSI:
		if t.Background() != nil {
			name := t.Name
			t = terminal(t.Dark)
			t.Name = name
		}
		// None of the 16 colors is certain to differ only slightly from the background.
		for token, plain := range map[*Token]Token{
			&t.Palette.Selection:        {Invert: true},
			&t.Palette.SelectionBlurred: {Bold: true, Underline: true},
		} {
			if known(token.BG) {
				*token = plain
			}
		}
		for _, token := range t.Palette.tokens() {
			if token.FG != nil {
				token.FG = p.Convert(token.FG)
			}
		}
	case colorprofile.ANSI256:
		background := t.Palette.Background
		for _, token := range t.Palette.tokens() {
			*token = token.nearest(background.BG)
		}
		t.Palette.Background = background
	}
	return t
}

// The range of the 256 colors that is the same in all terminals: a cube and grays. The user can
// change the first 16.
const firstFixed, lastFixed = 16, 255

// nearest returns the token with colors of the 256. behind is the background if the token has none.
// The contrast is nearly preserved.
func (t Token) nearest(behind color.Color) Token {
	before, on := behind, behind
	if t.BG != nil {
		before = t.BG
		t.BG = nearest(t.BG, nil, 0)
		on = t.BG
	}
	if !known(t.FG) || !known(before) || !known(on) {
		t.FG = nearest(t.FG, nil, 0)
		return t
	}
	const enough, nearly = 7, 0.8
	had := contrast(t.FG, before)
	t.FG = nearest(t.FG, on, max(nearly*min(enough, had), min(readable, had)))
	return t
}

// nearest returns the color of the 256 that looks most like c, among those with a contrast to on of
// at least least.
func nearest(c, on color.Color, least float64) color.Color {
	if _, indexed := c.(ansi.IndexedColor); indexed || !known(c) {
		return c
	}
	want := perceived(c)
	best, closest := color.Color(nil), math.Inf(1)
	for i := firstFixed; i <= lastFixed; i++ {
		have := ansi.IndexedColor(i)
		if on != nil && contrast(have, on) < least {
			continue
		}
		distance := 0.0
		for axis, v := range perceived(have) {
			distance += (v - want[axis]) * (v - want[axis])
		}
		if distance < closest {
			best, closest = have, distance
		}
	}
	if best == nil {
		return nearest(c, nil, 0)
	}
	return best
}

// perceived returns a color in OKLab, in which distances correspond to perceived differences. Hue
// and chroma count double, because a change of hue is more noticeable than one of lightness.
func perceived(c color.Color) [3]float64 {
	const chroma = 2
	known, _ := colorful.MakeColor(c)
	l, a, b := known.OkLab()
	return [3]float64{l, chroma * a, chroma * b}
}

// readable is the minimum contrast of text: WCAG 2, level AA.
const readable = 4.5

// OnSelection returns style s on the background of a selection. If its color is not readable there,
// the color becomes the background of the selection's text; if that is not readable either, it is
// dropped. Bold is kept. The terminal's own 16 colors are assumed to be readable.
func OnSelection(s, selection lipgloss.Style) lipgloss.Style {
	if selection.GetReverse() {
		return selection.Bold(s.GetBold())
	}
	bg := selection.GetBackground()
	if bg == (lipgloss.NoColor{}) {
		return s.Inherit(selection)
	}
	fg, text := s.GetForeground(), selection.GetForeground()
	s = s.Background(bg).Faint(false)
	_, basic := fg.(ansi.BasicColor)
	switch {
	case legible(fg, bg), basic && known(bg):
	case legible(text, fg):
		s = s.Foreground(text).Background(fg)
	default:
		s = s.Foreground(text)
	}
	return s
}

// legible reports whether text of color fg is certain to be readable on bg.
func legible(fg, bg color.Color) bool {
	return known(fg) && known(bg) && contrast(fg, bg) >= readable
}

// known reports whether c is the same color in all terminals.
func known(c color.Color) bool {
	switch c := c.(type) {
	case nil, lipgloss.NoColor, ansi.BasicColor:
		return false
	case ansi.IndexedColor:
		return c >= firstFixed
	}
	return true
}

// contrast returns the contrast ratio according to WCAG 2.
func contrast(a, b color.Color) float64 {
	l, d := luminance(a), luminance(b)
	return (max(l, d) + 0.05) / (min(l, d) + 0.05)
}

func luminance(c color.Color) float64 {
	known, _ := colorful.MakeColor(c)
	r, g, b := known.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}
