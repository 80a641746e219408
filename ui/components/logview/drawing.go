package logview

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/internal/vt"
)

// drawing is a line as it is shown: characters in a row, small enough that many
// long ones may be kept.
type drawing struct {
	text   string
	glyphs []glyph
	looks  []look
	own    int // so many glyphs are the job's; what follows is a note
	shown  int // so many bytes of the line are drawn

	b strings.Builder
}

// glyph is one character.
type glyph struct {
	end   uint32 // in text, behind it
	look  uint16
	width uint8
}

// look is how characters are drawn. A note is hob's, not the job's.
type look struct {
	style vt.Style
	link  string
	note  bool
}

func newDrawing(n int) *drawing {
	d := &drawing{glyphs: make([]glyph, 0, n)}
	d.b.Grow(n)
	return d
}

func (d *drawing) add(text string, width int, l look) {
	d.b.WriteString(text)
	d.glyphs = append(d.glyphs, glyph{uint32(d.b.Len()), d.lookOf(l), uint8(width)})
}

// lookOf is the number of a look: neighbors mostly look the same.
func (d *drawing) lookOf(l look) uint16 {
	if n := len(d.looks); n == 0 || d.looks[n-1] != l {
		d.looks = append(d.looks, l)
	}
	return uint16(len(d.looks) - 1)
}

// finish ends the adding of the job's characters and finds the links among them.
func (d *drawing) finish() {
	d.text, d.own = d.b.String(), len(d.glyphs)
	for _, u := range urls(d.text) {
		link := d.text[u[0]:u[1]]
		for i := d.glyphAt(u[0]); i < d.glyphAt(u[1]-1)+1; i++ {
			l := d.looks[d.glyphs[i].look]
			if l.link == "" {
				l.link = link
				d.glyphs[i].look = d.lookOf(l)
			}
		}
	}
	d.b = strings.Builder{}
}

// note adds words of hob's behind the line.
func (d *drawing) note(text string) {
	look := d.lookOf(look{note: true})
	for _, r := range text {
		d.text += string(r)
		d.glyphs = append(d.glyphs, glyph{uint32(len(d.text)), look, uint8(vt.RuneWidth(r))})
	}
}

// part is the text of the glyphs in [from, to).
func (d *drawing) part(from, to int) string {
	if from >= to {
		return ""
	}
	start := uint32(0)
	if from > 0 {
		start = d.glyphs[from-1].end
	}
	return d.text[start:d.glyphs[to-1].end]
}

// exact is part as it may be drawn: exactly as wide as its glyphs, whether a
// terminal counts by code point or by cluster. Where the two differ (joined emoji,
// variants, skin tones) the simpler form of [cells.Clean] stands there.
func (d *drawing) exact(from, to int) string {
	text, width := d.part(from, to), 0
	if isASCII(text) {
		return text
	}
	for _, g := range d.glyphs[from:to] {
		width += int(g.width)
	}
	if measures(text, width) {
		return text
	}
	var b strings.Builder
	before, had := "", 0
	for i := from; i < to; i++ {
		w := int(d.glyphs[i].width)
		one := cells.Exact(d.part(i, i+1), w)
		if !measures(one, w) || !measures(before+one, had+w) {
			one = strings.Repeat(" ", w)
		}
		b.WriteString(one)
		before, had = one, w
	}
	return b.String()
}

// measures reports whether text takes so many columns however it is counted.
func measures(text string, width int) bool {
	return ansi.StringWidth(text) == width && ansi.StringWidthWc(text) == width
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// glyphAt is the glyph that the byte of text at off belongs to.
func (d *drawing) glyphAt(off int) int {
	return sort.Search(len(d.glyphs), func(i int) bool { return int(d.glyphs[i].end) > off })
}

// columns is how many columns the first n glyphs take.
func (d *drawing) columns(n int) int {
	cols := 0
	for _, g := range d.glyphs[:n] {
		cols += int(g.width)
	}
	return cols
}

// width is how many columns the line takes when it is not wrapped.
func (d *drawing) width() int { return d.columns(len(d.glyphs)) }

// beyond reports whether the line takes more than so many columns.
func (d *drawing) beyond(columns int) bool {
	i, col := d.from(columns)
	return i < len(d.glyphs) && (col >= columns || col+int(d.glyphs[i].width) > columns)
}

// from is the first glyph that reaches beyond a column, and where it begins.
func (d *drawing) from(left int) (i, col int) {
	for i < len(d.glyphs) && col+int(d.glyphs[i].width) <= left {
		col += int(d.glyphs[i].width)
		i++
	}
	return i, col
}

// glyphsOf returns the drawn line, drawing it at most once.
func (m *Model) glyphsOf(e *entry) *drawing {
	if e.drawn == nil {
		e.drawn = m.emu.draw(e.Raw, maxColumns)
		whole := e.End - e.Start
		if e.drawn.shown < len(e.Raw) || e.Cut {
			e.drawn.note(" [" + m.glyphs.Ellipsis + " " + units.FormatBytes(whole-int64(e.drawn.shown)) + " more in this line]")
		}
	}
	return e.drawn
}

// longLine is from how many characters on a line is drawn again when it comes
// back into view.
const longLine = 1 << 10

// forgetLong lets go of long lines that are out of view.
func (m *Model) forgetLong() {
	if len(m.lines) == 0 {
		return
	}
	last := m.bottom()
	for i := range m.lines {
		if e := &m.lines[i]; (i < m.top || i > last) && e.drawn != nil && len(e.drawn.glyphs) > longLine {
			e.drawn, e.hits, e.hitGen = nil, nil, 0
		}
	}
}
