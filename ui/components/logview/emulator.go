package logview

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/vt"
)

// maxColumns limits how much of a line is drawn; the rest is in the log.
const maxColumns = 16 << 10

// maxCopyColumns limits how much of a line is copied.
const maxCopyColumns = 128 << 10

// emulatorWidth is the maximum width of an emulator; a longer line wraps.
const emulatorWidth = 4096

// lineEmulator draws single lines with a terminal emulator, so that overwriting, colors and wide
// characters look as on a terminal, and only cells reach the screen.
type lineEmulator struct {
	vt         *vt.Terminal
	cols, rows int
}

// draw draws a line as a terminal would show it, up to most columns.
func (e *lineEmulator) draw(raw []byte, most int) *drawing {
	raw, shown, columns := within(raw, most)
	cols := 256
	for cols < columns && cols < emulatorWidth {
		cols *= 2
	}
	rows := max(1, (columns+cols-1)/cols)
	if e.vt == nil || e.cols != cols || e.rows != rows {
		e.vt, e.cols, e.rows = vt.New(cols, rows), cols, rows
	}
	e.vt.Write([]byte("\x1bc"))
	if rows == 1 {
		e.vt.Write([]byte("\x1b[?7l"))
	}
	at := 0
	for _, s := range vt.AltSwitches(raw) { // a line is drawn on one screen
		e.vt.Write(raw[at:s.From])
		at = s.To
	}
	e.vt.Write(raw[at:])
	d := newDrawing(len(raw))
	d.shown = shown
	for y := range rows {
		row := e.vt.Row(y)
		if !e.vt.Wrapped(y) {
			row = row[:lineEnd(e.vt, row)]
		} else if next := e.vt.Row(y + 1); row[len(row)-1].IsBlank() && next[0].Width() == 2 {
			row = row[:len(row)-1] // a wide character did not fit there
		}
		e.add(d, row)
		if !e.vt.Wrapped(y) {
			break
		}
	}
	d.finish()
	return d
}

func (e *lineEmulator) add(d *drawing, row []vt.Cell) {
	for _, c := range row {
		if c.Width() == 0 {
			continue
		}
		style := e.vt.Style(c)
		style.Attrs &^= vt.Blink
		d.add(plain(e.vt.CellText(c)), c.Width(), look{style: style, link: safeLink(e.vt.Link(c))})
	}
}

// lineEnd returns the length of a row without trailing blanks.
func lineEnd(t *vt.Terminal, row []vt.Cell) int {
	end := len(row)
	for end > 0 && row[end-1].IsBlank() && t.Style(row[end-1]) == (vt.Style{}) {
		end--
	}
	return end
}

// within returns the beginning of a line that needs at most most columns, without characters that
// start another row. shown is its length in bytes.
func within(raw []byte, most int) (p []byte, shown, columns int) {
	shown = len(raw)
	if columns = len(raw) + 7*bytes.Count(raw, []byte{'\t'}); columns > most {
		columns = 0
		for i, b := range raw {
			w := 1
			if b == '\t' {
				w = 8
			}
			if columns+w > most {
				shown = i
				break
			}
			columns += w
		}
		for shown > 0 && shown < len(raw) && !utf8.RuneStart(raw[shown]) {
			shown--
		}
		raw = raw[:shown]
	}
	if bytes.ContainsAny(raw, "\v\f") {
		raw = bytes.Map(func(r rune) rune {
			if r == '\v' || r == '\f' {
				return -1
			}
			return r
		}, raw)
	}
	return raw, shown, columns
}

// plain removes direction marks from the text of a cell: they would reorder neighboring cells.
func plain(s string) string {
	if len(s) < 2 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if cells.Reorders(r) {
			return -1
		}
		return r
	}, s)
}
