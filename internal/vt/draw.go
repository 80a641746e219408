package vt

import "strconv"

// AppendSGR appends the sequence that takes a terminal from its default style
// to s, or nothing if s is the default style.
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
	case s.Underline > UnderlineSingle && s.Underline <= UnderlineDashed:
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

// appendColor appends the parameters of a colour and a semicolon. base is 30
// for the foreground, 40 for the background, 50 for the underline, which has no
// short form and is written with colons, so that terminals that do not know it
// skip it.
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
			b = append(b, sep) // an empty colour space
		}
		for _, v := range [3]uint8{r, g, bl} {
			b = append(b, sep)
			number(int(v))
		}
		b = append(b, ';')
	}
	return b
}
