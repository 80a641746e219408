package logview

import (
	"bytes"
	"strings"

	"github.com/hobjobs/hob/internal/vt"
)

// maxColumns bounds what is drawn of one line; the rest is in the log.
const maxColumns = 16 << 10

// maxCopyColumns bounds what is copied of one line.
const maxCopyColumns = 128 << 10

// lineEmulator draws single lines: an emulator of one row, so that overwriting,
// colours and wide characters come out as on a terminal, and nothing of a job
// reaches the screen but cells.
type lineEmulator struct {
	vt   *vt.Terminal
	cols int
}

// draw returns what a terminal shows of a line, up to so many columns.
func (e *lineEmulator) draw(raw []byte, most int) *drawing {
	cols := 256
	for cols < len(raw)+8*bytes.Count(raw, []byte{'\t'}) && cols < most {
		cols *= 2
	}
	if e.vt == nil || e.cols != cols {
		e.vt, e.cols = vt.New(cols, 1), cols
	}
	e.vt.Write([]byte("\x1bc\x1b[?7l"))
	at := 0
	for _, s := range vt.AltSwitches(raw) { // a line is drawn as a whole, on one screen
		e.vt.Write(raw[at:s.From])
		at = s.To
	}
	e.vt.Write(raw[at:])
	row := e.vt.Row(0)
	end := len(row)
	for end > 0 && row[end-1].IsBlank() && e.vt.Style(row[end-1]) == (vt.Style{}) {
		end--
	}
	d := newDrawing(end)
	d.full = end == len(row)
	for _, c := range row[:end] {
		if c.Width() == 0 {
			continue
		}
		style := e.vt.Style(c)
		style.Attrs &^= vt.Blink
		d.add(plain(e.vt.CellText(c)), c.Width(), look{style: style, link: safeLink(e.vt.Link(c))})
	}
	d.finish()
	return d
}

// plain takes marks of direction out of the text of a cell: they would reorder
// what stands beside it.
func plain(s string) string {
	if len(s) < 2 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u061c', r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff':
			return -1
		}
		return r
	}, s)
}
