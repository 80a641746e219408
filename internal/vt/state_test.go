package vt

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// dump returns the complete state of a terminal as text.
func dump(t *Terminal) string {
	var b strings.Builder
	cell := func(c Cell) string {
		s := t.Style(c)
		wide := c.attr & widthMask
		if wide == edgeSpacer {
			wide = 0
		}
		if c.ch == 0 && wide != wideTail {
			return fmt.Sprintf("_%v", s)
		}
		return fmt.Sprintf("%q%v%d%s%v", t.CellText(c), s, wide, t.extras.at(c.ext).id+t.Link(c), c.attr&protectedBit != 0)
	}
	row := func(cells []Cell) {
		for i := 0; i < len(cells); {
			n := 1
			text := cell(cells[i])
			for i+n < len(cells) && cell(cells[i+n]) == text {
				n++
			}
			if text != "_{0 0 0 0 0}" || i+n < len(cells) {
				fmt.Fprintf(&b, "%dx%s ", n, text)
			}
			i += n
		}
	}
	cursorOf := func(name string, c cursor) {
		fmt.Fprintf(&b, "%s %d,%d pending=%v origin=%v sets=%q gl=%d single=%d pen=%s\n",
			name, c.x, c.y, c.pending, c.origin, c.sets, c.gl, c.single, cell(c.pen)+fmt.Sprint(c.pen.attr&protectedBit))
	}
	fmt.Fprintf(&b, "%d x %d alt=%v margins=%d,%d,%d,%d\n", t.cols, t.rows, t.onAlt(), t.top, t.bot, t.left, t.rgt)
	for i := range t.ScrollbackLen() {
		cells, wrapped := t.ScrollbackRow(i, nil)
		fmt.Fprintf(&b, "history %d %v ", i, wrapped)
		row(cells)
		b.WriteByte('\n')
	}
	for i := range t.screens {
		s := &t.screens[i]
		for y, r := range s.rows {
			fmt.Fprintf(&b, "screen %d row %d wrap=%v size=%d ", i, y, y < t.rows-1 && r.wraps(), r.size)
			row(r.all())
			b.WriteByte('\n')
		}
		cursorOf("saved", s.saved)
		fmt.Fprintf(&b, "kitty %v %v\n", s.kitty.flags[:s.kitty.n], s.kitty.now)
	}
	cursorOf("cursor", t.cur)
	fmt.Fprintf(&b, "tabs %v\nmodes %b saved %b mouse %d %d\n", t.tabs, t.modes, t.savedModes, t.mouse, t.mouseEnc)
	fmt.Fprintf(&b, "title %q %q %q palette %v\n", t.title, t.icon, t.titles, t.palette)
	fmt.Fprintf(&b, "shape %d keys %d level %d rect %v\n", t.shape, t.modifyKeys, t.conformance, t.rectExtent)
	fmt.Fprintf(&b, "guarded %v checksums %d\n", t.guarded, t.checksums)
	for _, p := range t.pens {
		fmt.Fprintf(&b, "pen %s\n", cell(p))
	}
	ps := t.parser
	fmt.Fprintf(&b, "parser %d ", ps.state)
	switch ps.state {
	case ground:
		fmt.Fprintf(&b, "%q", ps.utf8[:ps.nutf8])
	case escape, escapeInter:
		fmt.Fprintf(&b, "%q", ps.inter)
	case vt52Column:
		fmt.Fprintf(&b, "%d", ps.params[0])
	case csiParams:
		fmt.Fprintf(&b, "%q %q %v %v %b", ps.prefix, ps.inter, ps.given, ps.params[:ps.n+1], ps.colon)
	case stringBody:
		fmt.Fprintf(&b, "%q %q", ps.kind, ps.str)
	}
	return b.String()
}

// broken returns a description of invalid cells, or "".
func broken(t *Terminal) string {
	for i := range t.screens {
		s := &t.screens[i]
		for y, r := range s.rows {
			clean := y < s.dirty.from || y >= s.dirty.to
			if clean && (r.wrap || r.size != singleWidth) {
				return fmt.Sprintf("screen %d: row %d is not blank, but is not noted as written", i, y)
			}
			for x, c := range r.all() {
				if clean && c != s.fill {
					return fmt.Sprintf("screen %d: %d,%d is not blank, but its row is not noted as written", i, x, y)
				}
				w := c.attr & widthMask
				switch {
				case w == wideHead && (x+1 == r.cols || r.all()[x+1].attr&widthMask != wideTail):
					return fmt.Sprintf("screen %d: first half of a wide character alone at %d,%d", i, x, y)
				case w == wideTail && (x == 0 || r.all()[x-1].attr&widthMask != wideHead):
					return fmt.Sprintf("screen %d: second half of a wide character alone at %d,%d", i, x, y)
				case c.ch != 0 && w != wideTail && displaywidth.String(t.CellText(c)) != c.Width():
					return fmt.Sprintf("screen %d: %q at %d,%d is not %d wide", i, t.CellText(c), x, y, c.Width())
				case c.ch == 0 && w != wideTail && c != (Cell{bg: c.bg, attr: w}):
					return fmt.Sprintf("screen %d: blank with a style at %d,%d", i, x, y)
				}
			}
		}
	}
	return ""
}
