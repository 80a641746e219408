package logview

import (
	"regexp"
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
	if n := len(d.looks); n == 0 || d.looks[n-1] != l {
		d.looks = append(d.looks, l)
	}
	return uint16(len(d.looks) - 1)
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
	i, col := d.from(columns)
	return i < len(d.glyphs) && (col >= columns || col+int(d.glyphs[i].width) > columns)
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
		e.drawn = m.emu.draw(e.Raw, maxColumns)
		whole := e.End - e.Start
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
	last := m.bottom()
	for i := range m.lines {
		if e := &m.lines[i]; (i < m.top || i > last) && e.drawn != nil && len(e.drawn.glyphs) > longLine {
			e.drawn, e.hits, e.hitGen = nil, nil, 0
		}
	}
}

// schemes lists the links that a terminal may open. Other schemes could start a program.
var schemes = [...]string{"https://", "http://", "file://"}

// maxLink is the maximum length of a link's target.
const maxLink = 2048

// safeLink returns the target of a job's link if it is safe to follow, else "".
func safeLink(uri string) string {
	if uri == "" || len(uri) > maxLink {
		return ""
	}
	for _, s := range schemes {
		if len(uri) > len(s) && strings.EqualFold(uri[:len(s)], s) && strings.IndexFunc(uri, notInLink) < 0 {
			return uri
		}
	}
	return ""
}

func notInLink(r rune) bool { return r <= ' ' || r >= 0x7f && r < 0xa0 || r > 0x2000 && r < 0x2070 }

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
