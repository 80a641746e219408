//go:build unix

package pictures

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/hobjobs/hob/internal/vt"
)

// The size of a cell, of the margin around the screen and of the font, in pixels.
const (
	cellWidth, cellHeight = 8.4, 18
	margin                = 14
	fontSize              = 14
	fontFamily            = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
)

const (
	defaultFg = "#d7dae0"
	defaultBg = "#16181d"
)

// basic are the first sixteen colors.
var basic = [16]string{
	"#3d434f", "#ff8f88", "#8bd49c", "#f2c26b", "#7cc7ff", "#d6a6ff", "#7fdfd8", "#d7dae0",
	"#858c98", "#ff8f88", "#8bd49c", "#f2c26b", "#7cc7ff", "#d6a6ff", "#7fdfd8", "#ffffff",
}

// An image is a screen, drawn: the SVG elements of each row, relative to the row's
// top left corner. A row without visible text is empty.
type image struct {
	cols int
	rows []string
}

func drawScreen(t *vt.Terminal) image {
	cols, rows := t.Size()
	img := image{cols: cols, rows: make([]string, rows)}
	for y := range rows {
		img.rows[y] = drawRow(t, y)
	}
	// A cursor over a character, such as the bar of the selected row, would hide it.
	if c := t.Cursor(); c.Visible && blank(t.CellText(t.Row(c.Y)[c.X])) {
		img.rows[c.Y] += fmt.Sprintf(`<rect x="%.1f" width="%.1f" height="%d" fill="%s" fill-opacity="0.6"/>`,
			float64(c.X)*cellWidth, cellWidth, cellHeight, defaultFg)
	}
	return img
}

// width and height are those of the rows, without margins.
func (img image) width() float64 { return float64(img.cols) * cellWidth }
func (img image) height() int    { return len(img.rows) * cellHeight }

// openSVG begins a picture whose content, inside the margins, has the given size.
func openSVG(b *bytes.Buffer, width float64, height int) {
	w, h := width+2*margin, height+2*margin
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %d" width="%g" height="%d" `, w, h, w, h)
	fmt.Fprintf(b, `font-family="%s" font-size="%d" fill="%s" xml:space="preserve">`+"\n", fontFamily, fontSize, defaultFg)
	fmt.Fprintf(b, `<rect width="%g" height="%d" rx="8" fill="%s"/>`+"\n", w, h, defaultBg)
}

// svg is a picture of one screen.
func (img image) svg() []byte {
	var b bytes.Buffer
	openSVG(&b, img.width(), img.height())
	for y, row := range img.rows {
		if row != "" {
			fmt.Fprintf(&b, `<g transform="translate(%d %d)">%s</g>`+"\n", margin, margin+y*cellHeight, row)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// drawRow draws a rectangle behind each run of a background, a path for each run of
// box-drawing characters, so that they join in every font, and a text for each word.
func drawRow(t *vt.Terminal, y int) string {
	row := t.Row(y)
	var backgrounds, lines, texts strings.Builder
	for x := 0; x < len(row); {
		end := x + 1
		for end < len(row) && row[end].SameStyle(row[x]) {
			end++
		}
		style := t.Style(row[x])
		fg, bg := colors(style)
		if bg != defaultBg {
			fmt.Fprintf(&backgrounds, `<rect x="%.1f" width="%.1f" height="%d" fill="%s"/>`, float64(x)*cellWidth, float64(end-x)*cellWidth, cellHeight, bg)
		}
		if fg != defaultFg {
			fg = ` fill="` + fg + `"`
		} else {
			fg = ""
		}
		if path := boxPaths(t, row[:end], x); path != "" {
			stroke := strings.Replace(fg, "fill", "stroke", 1)
			if stroke == "" {
				stroke = ` stroke="` + defaultFg + `"`
			}
			fmt.Fprintf(&lines, `<path d="%s"%s fill="none"%s/>`, path, stroke, faint(style))
		}
		for i := x; i < end; {
			// Each word is placed by its first cell, whatever the font makes of the rest.
			word, from := "", i
			for i < end && !blank(t.CellText(row[i])) && boxPath(t.CellText(row[i]), 0) == "" {
				word += t.CellText(row[i])
				i++
			}
			if word == "" {
				i++
				continue
			}
			fmt.Fprintf(&texts, `<text x="%.1f" y="%d"%s%s textLength="%.1f">%s</text>`,
				float64(from)*cellWidth, cellHeight-5, fg, decoration(style)+faint(style), float64(i-from)*cellWidth, html.EscapeString(word))
		}
		x = end
	}
	return backgrounds.String() + lines.String() + texts.String()
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

func colors(s vt.Style) (fg, bg string) {
	fg, bg = color(s.Fg, defaultFg), color(s.Bg, defaultBg)
	if s.Attrs&vt.Reverse != 0 {
		return bg, fg
	}
	return fg, bg
}

func color(c vt.Color, otherwise string) string {
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

// boxPaths draws the box-drawing characters of a row from column x on. A run of
// horizontal lines is one line.
func boxPaths(t *vt.Terminal, row []vt.Cell, x int) string {
	var path strings.Builder
	for i := x; i < len(row); i++ {
		from := i
		for t.CellText(row[from]) == "─" && i+1 < len(row) && t.CellText(row[i+1]) == "─" {
			i++
		}
		if i > from {
			fmt.Fprintf(&path, "M%.1f %dH%.1f", float64(from)*cellWidth, cellHeight/2, float64(i+1)*cellWidth)
		} else {
			path.WriteString(boxPath(t.CellText(row[i]), float64(i)*cellWidth))
		}
	}
	return path.String()
}

// boxPath draws a box-drawing character whose cell begins at x; it is empty for any
// other text.
func boxPath(text string, x float64) string {
	const w, h, cy = cellWidth, cellHeight, cellHeight / 2
	cx := x + w/2
	across := func(from, to float64) string { return fmt.Sprintf("M%.1f %dH%.1f", from, cy, to) }
	down := func(x float64) string { return fmt.Sprintf("M%.1f 0V%d", x, h) }
	bend := func(y int, to float64) string { return fmt.Sprintf("M%.1f %dQ%.1f %d %.1f %d", cx, y, cx, cy, to, cy) }
	switch text {
	case "─":
		return across(x, x+w)
	case "│":
		return down(cx)
	case "┃":
		return down(cx) + down(cx+1)
	case "├":
		return down(cx) + across(cx, x+w)
	case "┤":
		return down(cx) + across(x, cx)
	case "╭":
		return bend(h, x+w)
	case "╮":
		return bend(h, x)
	case "╰":
		return bend(0, x+w)
	case "╯":
		return bend(0, x)
	}
	return ""
}
