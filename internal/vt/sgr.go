package vt

import "strconv"

// sgr is CSI m: it changes the style of the pen.
func (t *Terminal) sgr() {
	ps := &t.parser
	pen := &t.cur.pen
	for i := 0; i <= ps.n; i++ {
		switch v := ps.params[i]; {
		case v == 0:
			*pen = Cell{attr: pen.attr & protectedBit, ext: t.withUnderlineColor(pen.ext, 0)}
		case v == 4 && ps.hasSubparameter(i):
			i++
			if u := ps.params[i]; u <= uint16(UnderlineDashed) {
				pen.setUnderline(Underline(u))
			}
		case v == 4:
			pen.setUnderline(UnderlineSingle)
		case v == 21:
			pen.setUnderline(UnderlineDouble)
		case v == 24:
			pen.setUnderline(UnderlineNone)
		case v < 10:
			pen.attr |= sgrAttrs[v]
		case v == 22:
			pen.attr &^= uint16(Bold | Faint)
		case within(v, 23, 29):
			pen.attr &^= sgrAttrs[v-20]
		case within(v, 30, 37):
			pen.fg = Indexed(uint8(v - 30))
		case v == 39:
			pen.fg = 0
		case within(v, 40, 47):
			pen.bg = Indexed(uint8(v - 40))
		case v == 49:
			pen.bg = 0
		case v == 53:
			pen.attr |= uint16(Overline)
		case v == 55:
			pen.attr &^= uint16(Overline)
		case v == 59:
			pen.ext = t.withUnderlineColor(pen.ext, 0)
		case within(v, 90, 97):
			pen.fg = Indexed(uint8(v - 90 + 8))
		case within(v, 100, 107):
			pen.bg = Indexed(uint8(v - 100 + 8))
		case v == 38, v == 48, v == 58:
			color, next, ok := ps.color(i)
			i = next
			switch {
			case !ok:
			case v == 38:
				pen.fg = color
			case v == 48:
				pen.bg = color
			default:
				pen.ext = t.withUnderlineColor(pen.ext, color)
			}
		}
		i = ps.skipColons(i)
	}
}

// sgrAttrs are the attributes that SGR 1 to 9 set and 21 to 29 reset.
var sgrAttrs = [10]uint16{
	1: uint16(Bold), 2: uint16(Faint), 3: uint16(Italic), 5: uint16(Blink), 6: uint16(Blink),
	7: uint16(Reverse), 8: uint16(Hidden), 9: uint16(Strike),
}

func (c *Cell) setUnderline(u Underline) {
	c.attr = c.attr&^underlineMask | uint16(u)<<underlineShift
}

func (t *Terminal) withUnderlineColor(ext uint16, c Color) uint16 {
	if ext == 0 && c == 0 {
		return 0
	}
	e := t.extras.at(ext)
	if e.underline == c {
		return ext
	}
	e.underline = c
	return t.internExtra(e)
}

// hasSubparameter reports whether a colon and a subparameter follow parameter i.
func (ps *parser) hasSubparameter(i int) bool { return i < ps.n && ps.colon>>(i+1)&1 == 1 }

// skipColons returns the index of the last subparameter of parameter i.
func (ps *parser) skipColons(i int) int {
	for ps.hasSubparameter(i) {
		i++
	}
	return i
}

// color parses the color after 38, 48 or 58 at index i: 5;n or 2;r;g;b, or with colons
// 5:n, 2:r:g:b and 2:space:r:g:b. next is the last index of the color.
func (ps *parser) color(i int) (c Color, next int, ok bool) {
	if i == ps.n {
		return 0, i, false
	}
	at, end := i+2, ps.n
	if ps.hasSubparameter(i) {
		end = ps.skipColons(i)
		if ps.params[i+1] == 2 && end-i >= 5 {
			at++
		}
	}
	switch ps.params[i+1] {
	case 5:
		if at > end {
			return 0, end, false
		}
		return Indexed(uint8(ps.params[at])), at, ps.params[at] < 256
	case 2:
		if at+2 > end {
			return 0, end, false
		}
		v := ps.params[at : at+3]
		return RGB(uint8(v[0]), uint8(v[1]), uint8(v[2])), at + 2, max(v[0], v[1], v[2]) < 256
	}
	return 0, i + 1, false
}

// AppendSGR appends the sequence that changes the default style to s, nothing if s is
// the default style.
func (s Style) AppendSGR(b []byte) []byte {
	if s == (Style{}) {
		return b
	}
	b = append(b, "\x1b["...)
	first := len(b)
	for i, code := range [8]string{"1;", "2;", "3;", "5;", "7;", "8;", "9;", "53;"} {
		if s.Attrs>>i&1 == 1 {
			b = append(b, code...)
		}
	}
	switch {
	case s.Underline == UnderlineSingle:
		b = append(b, "4;"...)
	case within(s.Underline, UnderlineDouble, UnderlineDashed):
		b = append(b, '4', ':', '0'+byte(s.Underline), ';')
	}
	b = appendColor(b, s.Fg, 30)
	b = appendColor(b, s.Bg, 40)
	b = appendColor(b, s.UnderlineColor, 50)
	if len(b) > first {
		b = b[:len(b)-1]
	}
	return append(b, 'm')
}

// appendColor appends the parameters of a color and a semicolon. base is 30 for the
// foreground, 40 for the background, and 50 for the underline. The latter has no short
// form and is written with colons, so that terminals without support ignore it.
func appendColor(b []byte, c Color, base int) []byte {
	sep := byte(';')
	if base == 50 {
		sep = ':'
	}
	number := func(v int) { b = strconv.AppendInt(b, int64(v), 10) }
	if n, ok := c.Index(); ok {
		switch {
		case base < 50 && n < 8:
			number(base + int(n))
		case base < 50 && n < 16:
			number(base + 60 + int(n) - 8)
		default:
			number(base + 8)
			b = append(b, sep, '5', sep)
			number(int(n))
		}
		return append(b, ';')
	}
	if r, g, bl, ok := c.RGB(); ok {
		number(base + 8)
		b = append(b, sep, '2')
		if sep == ':' {
			b = append(b, sep) // an empty color space
		}
		for _, v := range [3]uint8{r, g, bl} {
			b = append(b, sep)
			number(int(v))
		}
		b = append(b, ';')
	}
	return b
}
