package logview

import (
	"bytes"
	"regexp"

	"github.com/hobjobs/hob/internal/vt"
)

// glyph is one character of a drawn line.
type glyph struct {
	text  string
	width int
	style vt.Style
}

// maxColumns bounds what is drawn of one line; the rest is in the log.
const maxColumns = 16 << 10

// lineEmulator draws single lines: an emulator of one row, so that overwriting,
// colours and wide characters come out as on a terminal, and nothing of a job
// reaches the screen but cells.
type lineEmulator struct {
	vt   *vt.Terminal
	cols int
}

// altScreen are the switches to the alternate screen and back.
var altScreen = regexp.MustCompile(`\x1b\[\?(?:1049|1047|47)[hl]`)

// draw returns what a terminal shows of a line.
func (e *lineEmulator) draw(raw []byte) []glyph {
	cols := 256
	for cols < len(raw)+8*tabs(raw) && cols < maxColumns {
		cols *= 2
	}
	if e.vt == nil || e.cols != cols {
		e.vt, e.cols = vt.New(cols, 1), cols
	}
	e.vt.Write([]byte("\x1bc\x1b[?7l"))
	if bytes.Contains(raw, []byte("\x1b[?")) { // a line is drawn as a whole, on one screen
		raw = altScreen.ReplaceAllLiteral(raw, nil)
	}
	e.vt.Write(raw)
	row := e.vt.Row(0)
	end := len(row)
	for end > 0 && row[end-1].IsBlank() && e.vt.Style(row[end-1]) == (vt.Style{}) {
		end--
	}
	glyphs := make([]glyph, 0, end)
	for _, c := range row[:end] {
		if c.Width() == 0 {
			continue
		}
		style := e.vt.Style(c)
		style.Attrs &^= vt.Blink
		glyphs = append(glyphs, glyph{e.vt.CellText(c), c.Width(), style})
	}
	return glyphs
}

func tabs(p []byte) int {
	n := 0
	for _, b := range p {
		if b == '\t' {
			n++
		}
	}
	return n
}

// glyphsOf returns the drawn line, drawing it at most once.
func (m *Model) glyphsOf(e *entry) []glyph {
	if !e.drawn {
		e.glyphs, e.drawn = m.emu.draw(e.Raw), true
	}
	return e.glyphs
}

// columns is how many columns a line takes when it is not wrapped.
func (m *Model) columns(e *entry) int {
	n := 0
	for _, g := range m.glyphsOf(e) {
		n += g.width
	}
	return n
}

func textOf(glyphs []glyph) string {
	n := 0
	for _, g := range glyphs {
		n += len(g.text)
	}
	b := make([]byte, 0, n)
	for _, g := range glyphs {
		b = append(b, g.text...)
	}
	return string(b)
}
