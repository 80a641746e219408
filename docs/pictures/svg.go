//go:build unix

package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/hobjobs/hob/internal/vt"
)

// The size of a cell, of the margin around the screen and of its letters, in
// pixels.
const (
	cellWidth, cellHeight = 8.4, 18
	margin                = 14
	fontSize              = 14
)

const (
	defaultFg = "#d7dae0"
	defaultBg = "#16181d"
)

// basic are the first sixteen colours.
var basic = [16]string{
	"#3d434f", "#ff8f88", "#8bd49c", "#f2c26b", "#7cc7ff", "#d6a6ff", "#7fdfd8", "#d7dae0",
	"#858c98", "#ff8f88", "#8bd49c", "#f2c26b", "#7cc7ff", "#d6a6ff", "#7fdfd8", "#ffffff",
}

// svg draws the screen: a rectangle behind each run of a background, a text for
// each run of a style, and lines for what draws boxes, so that they join in every
// font.
func svg(t *vt.Terminal) []byte {
	cols, rows := t.Size()
	w, h := float64(cols)*cellWidth+2*margin, float64(rows)*cellHeight+2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" `, w, h, w, h)
	fmt.Fprintf(&b, `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" xml:space="preserve">`+"\n", fontSize)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" rx="8" fill="%s"/>`+"\n", w, h, defaultBg)
	for y := range rows {
		drawRow(&b, t, y)
	}
	// On a sign, such as the bar of the selected row, it would hide that.
	if c := t.Cursor(); c.Visible && blank(t.CellText(t.Row(c.Y)[c.X])) {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" fill-opacity="0.6"/>`+"\n",
			margin+float64(c.X)*cellWidth, margin+c.Y*cellHeight, cellWidth, cellHeight, defaultFg)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func drawRow(b *bytes.Buffer, t *vt.Terminal, y int) {
	row := t.Row(y)
	var texts, lines bytes.Buffer
	for x := 0; x < len(row); {
		end := x + 1
		for end < len(row) && row[end].SameStyle(row[x]) {
			end++
		}
		style := t.Style(row[x])
		fg, bg := colours(style)
		left, top := margin+float64(x)*cellWidth, float64(margin+y*cellHeight)
		if bg != defaultBg {
			fmt.Fprintf(b, `<rect x="%.1f" y="%g" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, float64(end-x)*cellWidth, cellHeight, bg)
		}
		for i := x; i < end; {
			text := t.CellText(row[i])
			if path := boxPath(text, margin+float64(i)*cellWidth, top); path != "" {
				fmt.Fprintf(&lines, `<path d="%s" stroke="%s" fill="none"%s/>`+"\n", path, fg, faint(style))
				i++
				continue
			}
			// A word is placed by its first cell, whatever the font makes of the rest.
			word, from := "", i
			for i < end && !blank(t.CellText(row[i])) && boxPath(t.CellText(row[i]), 0, 0) == "" {
				word += t.CellText(row[i])
				i++
			}
			if word == "" {
				i++
				continue
			}
			fmt.Fprintf(&texts, `<text x="%.1f" y="%g" fill="%s"%s textLength="%.1f">%s</text>`+"\n",
				margin+float64(from)*cellWidth, top+cellHeight-5, fg, decoration(style)+faint(style), float64(i-from)*cellWidth, html.EscapeString(word))
		}
		x = end
	}
	b.Write(lines.Bytes())
	b.Write(texts.Bytes())
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

func colours(s vt.Style) (fg, bg string) {
	fg, bg = colour(s.Fg, defaultFg), colour(s.Bg, defaultBg)
	if s.Attrs&vt.Reverse != 0 {
		return bg, fg
	}
	return fg, bg
}

func colour(c vt.Color, otherwise string) string {
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	if n, ok := c.Index(); ok {
		if n < 16 {
			return basic[n]
		}
		if n >= 232 {
			v := 8 + 10*int(n-232)
			return fmt.Sprintf("#%02x%02x%02x", v, v, v)
		}
		level := func(n int) int { return min(n, 1)*55 + n*40 }
		i := int(n) - 16
		return fmt.Sprintf("#%02x%02x%02x", level(i/36), level(i/6%6), level(i%6))
	}
	return otherwise
}

func decoration(s vt.Style) string {
	text := ""
	if s.Attrs&vt.Bold != 0 {
		text += ` font-weight="bold"`
	}
	if s.Attrs&vt.Italic != 0 {
		text += ` font-style="italic"`
	}
	if s.Underline != 0 {
		text += ` text-decoration="underline"`
	}
	return text
}

func faint(s vt.Style) string {
	if s.Attrs&vt.Faint != 0 {
		return ` opacity="0.6"`
	}
	return ""
}

// boxPath draws a sign that joins its neighbours; empty for any other.
func boxPath(text string, x, y float64) string {
	const w, h = cellWidth, float64(cellHeight)
	cx, cy := x+w/2, y+h/2
	to := func(x1, y1, x2, y2 float64) string { return fmt.Sprintf("M%.1f %.1fL%.1f %.1f", x1, y1, x2, y2) }
	bend := func(x1, y1, x2, y2 float64) string {
		return fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", x1, y1, cx, cy, x2, y2)
	}
	switch text {
	case "─":
		return to(x, cy, x+w, cy)
	case "│":
		return to(cx, y, cx, y+h)
	case "┃":
		return to(cx, y, cx, y+h) + to(cx+1, y, cx+1, y+h)
	case "├":
		return to(cx, y, cx, y+h) + to(cx, cy, x+w, cy)
	case "┤":
		return to(cx, y, cx, y+h) + to(x, cy, cx, cy)
	case "╭":
		return bend(cx, y+h, x+w, cy)
	case "╮":
		return bend(cx, y+h, x, cy)
	case "╰":
		return bend(cx, y, x+w, cy)
	case "╯":
		return bend(cx, y, x, cy)
	}
	return ""
}
