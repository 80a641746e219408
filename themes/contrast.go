package themes

import (
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

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
	r, g, b := linear(c)
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// linear is the light of each primary, from 0 to 1.
func linear(c color.Color) (r, g, b float64) {
	light := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	red, green, blue, _ := c.RGBA()
	return light(red), light(green), light(blue)
}
