package themes

import (
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// For returns the theme in the colours that a terminal of this profile has. Of
// 256 colours each token takes the one that looks nearest, so that greys stay
// grey. A theme that brings its own colours is not legible in 16 that are the
// terminal's: it becomes the terminal's theme. What is painted behind
// everything stays, because terminals are told it by itself.
func (t Theme) For(p colorprofile.Profile) Theme {
	switch p {
	case colorprofile.ANSI:
		if t.Background() != nil {
			own := terminal(t.Dark)
			own.Name = t.Name
			return own
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

// The colours of the 256 that are the same everywhere: a cube and greys. The
// first 16 are the terminal's.
const firstFixed, lastFixed = 16, 255

// nearest is the token in colours of the 256; behind is what it stands on if it
// paints nothing itself. It keeps its contrast, or nearly.
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

// nearest is the colour of the 256 that looks most like c, among those whose
// contrast to on is at least that much.
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

// perceived is a colour in OKLab, where distances are what eyes see. Hue and
// chroma count double: a grey that turns teal is worse than one that turns
// darker.
func perceived(c color.Color) [3]float64 {
	const chroma = 2
	known, _ := colorful.MakeColor(c)
	l, a, b := known.OkLab()
	return [3]float64{l, chroma * a, chroma * b}
}

// readable is the contrast that text needs at least: WCAG 2, level AA.
const readable = 4.5

// OnSelection returns style s on the background of a selection. Where its
// colour could not be read there, it is painted behind the selection's text,
// and where that could not be read either, it is given up; bold stays.
func OnSelection(s, selection lipgloss.Style) lipgloss.Style {
	if selection.GetReverse() {
		return s.Faint(false).Reverse(true)
	}
	bg := selection.GetBackground()
	if bg == (lipgloss.NoColor{}) {
		return s.Inherit(selection)
	}
	fg, text := s.GetForeground(), selection.GetForeground()
	s = s.Background(bg).Faint(false)
	switch {
	case legible(fg, bg):
	case legible(text, fg):
		s = s.Foreground(text).Background(fg)
	default:
		s = s.Foreground(text)
	}
	return s
}

// legible reports whether text of colour fg is known to be readable on bg.
func legible(fg, bg color.Color) bool {
	return known(fg) && known(bg) && contrast(fg, bg) >= readable
}

// known reports whether c is a colour of its own and not one that the terminal
// chooses.
func known(c color.Color) bool {
	switch c := c.(type) {
	case nil, lipgloss.NoColor, ansi.BasicColor:
		return false
	case ansi.IndexedColor:
		return c >= firstFixed
	}
	return true
}

// contrast is the ratio that WCAG 2 defines.
func contrast(a, b color.Color) float64 {
	l, d := luminance(a), luminance(b)
	return (max(l, d) + 0.05) / (min(l, d) + 0.05)
}

func luminance(c color.Color) float64 {
	known, _ := colorful.MakeColor(c)
	r, g, b := known.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}
