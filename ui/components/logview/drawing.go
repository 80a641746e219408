package logview

import (
	"bytes"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/internal/vt"
)

// drawing is a line ready to be drawn. It is compact, because many long lines are kept.
type drawing struct {
	text   string
	glyphs []glyph
	looks  []look
	own    int // number of glyphs that are the job's; a note follows them
	shown  int // number of bytes of the line that are drawn

	b strings.Builder
}

// glyph is one character.
type glyph struct {
	end   uint32 // end offset in text
	look  uint16
	width uint8
}

// look is the style of characters. A note is text of hob, not of the job.
type look struct {
	style vt.Style
	link  string
	note  bool
	tone  Tone
	name  int // 1 and up: the number of the color of a label
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

// lookOf returns the index of a look. Neighboring characters mostly have the same look.
func (d *drawing) lookOf(l look) uint16 {
	last := len(d.looks) - 1
	if last >= 0 && d.looks[last] == l {
		return uint16(last)
	}
	d.looks = append(d.looks, l)
	return uint16(last + 1)
}

// finish is called after the job's characters were added, and finds the links in them.
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

// name puts the label before the line.
func (d *drawing) name(l Label) {
	for _, r := range l.Text {
		d.add(string(r), vt.RuneWidth(r), look{name: l.Number + 1})
	}
}

// note appends text of hob to the line.
func (d *drawing) note(text string) {
	look := d.lookOf(look{note: true})
	for _, r := range text {
		d.text += string(r)
		d.glyphs = append(d.glyphs, glyph{uint32(len(d.text)), look, uint8(vt.RuneWidth(r))})
	}
}

// part returns the text of the glyphs in [from, to).
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

// exact returns part in a form that is exactly as wide as its glyphs, whether a terminal counts
// code points or grapheme clusters. Where the two differ (joined emoji, variants, skin tones), it
// uses the simpler form of [cells.Clean].
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
		one := cells.FitChar(d.part(i, i+1), w)
		if !measures(one, w) || !measures(before+one, had+w) {
			one = strings.Repeat(" ", w)
		}
		b.WriteString(one)
		before, had = one, w
	}
	return b.String()
}

// measures reports whether text has this width by both ways of counting.
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

// glyphAt returns the index of the glyph that contains the byte of text at off.
func (d *drawing) glyphAt(off int) int {
	return sort.Search(len(d.glyphs), func(i int) bool { return int(d.glyphs[i].end) > off })
}

// columns returns the width of the first n glyphs.
func (d *drawing) columns(n int) int {
	cols := 0
	for _, g := range d.glyphs[:n] {
		cols += int(g.width)
	}
	return cols
}

// width returns the width of the line when it is not wrapped.
func (d *drawing) width() int { return d.columns(len(d.glyphs)) }

// beyond reports whether the line is wider than columns.
func (d *drawing) beyond(columns int) bool {
	i, _ := d.from(columns)
	return i < len(d.glyphs)
}

// from returns the first glyph that extends beyond a column, and the column where it begins.
func (d *drawing) from(left int) (i, col int) {
	for i < len(d.glyphs) && col+int(d.glyphs[i].width) <= left {
		col += int(d.glyphs[i].width)
		i++
	}
	return i, col
}

// glyphsOf returns the drawing of a line and caches it.
func (m *Model) glyphsOf(e *entry) *drawing {
	if e.drawn == nil {
		e.drawn = m.emu.draw(e.label, e.Raw, maxColumns)
		whole := e.End - e.Start - int64(len(e.label.Text))
		if e.drawn.shown < len(e.Raw) || e.Cut {
			e.drawn.note(" [" + m.glyphs.Ellipsis + " " + units.FormatBytes(whole-int64(e.drawn.shown)) + " more in this line]")
		}
	}
	return e.drawn
}

// longLine is the number of characters from which on a drawing is not kept while out of view.
const longLine = 1 << 10

// dropLongDrawings frees the drawings of long lines that are out of view.
func (m *Model) dropLongDrawings() {
	if len(m.lines) == 0 {
		return
	}
	above, below := m.lines[:m.top], m.lines[m.bottom()+1:]
	for _, hidden := range [][]entry{above, below} {
		for i := range hidden {
			if e := &hidden[i]; e.drawn != nil && len(e.drawn.glyphs) > longLine {
				e.drawn, e.hits, e.hitGen = nil, nil, 0
			}
		}
	}
}

// schemes lists the links that a terminal may open. Other schemes could start a program.
var schemes = [...]string{"https://", "http://", "file://"}

// maxLink is the maximum length of a link's target.
const maxLink = 2048

// safeLink returns the target of a job's link if it is safe to follow, else "".
func safeLink(uri string) string {
	if len(uri) > maxLink || strings.ContainsFunc(uri, notInLink) {
		return ""
	}
	for _, s := range schemes {
		if len(uri) > len(s) && strings.EqualFold(uri[:len(s)], s) {
			return uri
		}
	}
	return ""
}

// notInLink reports whether r is a control character, a blank, or of general punctuation, which has
// invisible characters and some that change the direction of text.
func notInLink(r rune) bool {
	switch {
	case r <= ' ', 0x7f <= r && r < 0xa0, 0x2000 < r && r < 0x2070:
		return true
	}
	return false
}

// link matches a link in plain text that does not follow a letter or digit. It is compiled on
// first use, to keep starts fast.
var link = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^a-zA-Z0-9])((?:https?|file)://[^\x00-\x20\x7f-\x{9f}\x{2001}-\x{206f}<>"'` + "`" + `{}|\\^]+)`)
})

// urls returns the byte ranges of the links in plain text.
func urls(text string) [][2]int {
	if !strings.Contains(text, "://") {
		return nil
	}
	var found [][2]int
	for _, at := range link().FindAllStringSubmatchIndex(text, -1) {
		start := at[2]
		if url := trimLink(text[start:at[3]]); safeLink(url) != "" {
			found = append(found, [2]int{start, start + len(url)})
		}
	}
	return found
}

// trimLink removes punctuation that ends the sentence, not the link.
func trimLink(s string) string {
	for s != "" {
		last := s[len(s)-1]
		switch last {
		case '.', ',', ';', ':', '!', '?', '*':
		case ')', ']':
			open := byte('(')
			if last == ']' {
				open = '['
			}
			if strings.Count(s, string(open)) >= strings.Count(s, string(last)) {
				return s
			}
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

// maxColumns limits how much of a line is drawn; the rest is in the log.
const maxColumns = 16 << 10

// maxCopyColumns limits how much of a line is copied.
const maxCopyColumns = 128 << 10

// emulatorWidth is the maximum width of an emulator; a longer line wraps.
const emulatorWidth = 4096

// lineEmulator draws single lines with a terminal emulator, so that overwriting, colors and wide
// characters look as on a terminal, and only cells reach the screen.
type lineEmulator struct {
	vt *vt.Terminal
}

// draw draws a line as a terminal would show it, up to most columns, after its label.
func (e *lineEmulator) draw(label Label, raw []byte, most int) *drawing {
	raw, shown, columns := within(raw, most)
	cols := 256
	for cols < columns && cols < emulatorWidth {
		cols *= 2
	}
	rows := max(1, (columns+cols-1)/cols)
	e.fit(cols, rows)
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
	d := newDrawing(len(label.Text) + len(raw))
	d.shown = shown
	d.name(label)
	for y := range rows {
		row := e.vt.Row(y)
		if !e.vt.Wrapped(y) {
			row = row[:lineEnd(e.vt, row)]
		} else if next := e.vt.Row(y + 1); row[len(row)-1].IsBlank() && next[0].Width() == 2 {
			row = row[:len(row)-1] // a wide character did not fit there
		}
		e.add(d, row, label.Tone)
		if !e.vt.Wrapped(y) {
			break
		}
	}
	d.finish()
	return d
}

// fit gives the emulator a size. Most lines have the size of the line before.
func (e *lineEmulator) fit(cols, rows int) {
	if e.vt != nil {
		if c, r := e.vt.Size(); c == cols && r == rows {
			return
		}
	}
	e.vt = vt.New(cols, rows)
}

func (e *lineEmulator) add(d *drawing, row []vt.Cell, tone Tone) {
	for _, c := range row {
		if c.Width() == 0 {
			continue
		}
		style := e.vt.Style(c)
		style.Attrs &^= vt.Blink
		d.add(cells.WithoutMarks(e.vt.CellText(c)), c.Width(), look{style: style, link: safeLink(e.vt.Link(c)), tone: tone})
	}
}

// lineEnd returns the length of a row without trailing blanks.
func lineEnd(t *vt.Terminal, row []vt.Cell) int {
	for i, c := range slices.Backward(row) {
		if !c.IsBlank() || t.Style(c) != (vt.Style{}) {
			return i + 1
		}
	}
	return 0
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
		shown = runeStart(raw, shown)
		raw = raw[:shown]
	}
	if bytes.ContainsAny(raw, "\v\f") {
		raw = bytes.Map(func(r rune) rune {
			switch r {
			case '\v', '\f':
				return -1
			}
			return r
		}, raw)
	}
	return raw, shown, columns
}

// runeStart returns the offset of the character that contains the byte at off.
func runeStart(p []byte, off int) int {
	if off >= len(p) {
		return off
	}
	for off > 0 && !utf8.RuneStart(p[off]) {
		off--
	}
	return off
}
