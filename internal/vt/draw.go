package vt

import "strconv"

// AppendSGR appends the sequence that sets a terminal in its default style to
// s, or nothing if s is the default style.
func (s Style) AppendSGR(b []byte) []byte {
	if s == (Style{}) {
		return b
	}
	b = append(b, "\x1b["...)
	first := len(b)
	for _, a := range styleAttrs {
		if s.Attrs&a.attr != 0 {
			b = append(b, a.code...)
			b = append(b, ';')
		}
	}
	switch s.Underline {
	case UnderlineNone:
	case UnderlineSingle:
		b = append(b, "4;"...)
	case UnderlineDouble, UnderlineCurly, UnderlineDotted, UnderlineDashed:
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
// for the foreground, 40 for the background, 50 for the underline.
func appendColor(b []byte, c Color, base int64) []byte {
	if n, ok := c.Index(); ok {
		switch {
		case base < 50 && n < 8:
			b = strconv.AppendInt(b, base+int64(n), 10)
		case base < 50 && n < 16:
			b = strconv.AppendInt(b, base+60+int64(n)-8, 10)
		default:
			b = strconv.AppendInt(b, base+8, 10)
			b = append(b, ";5;"...)
			b = strconv.AppendInt(b, int64(n), 10)
		}
		return append(b, ';')
	}
	if r, g, bl, ok := c.RGB(); ok {
		b = strconv.AppendInt(b, base+8, 10)
		b = append(b, ";2;"...)
		b = strconv.AppendInt(b, int64(r), 10)
		b = append(b, ';')
		b = strconv.AppendInt(b, int64(g), 10)
		b = append(b, ';')
		b = strconv.AppendInt(b, int64(bl), 10)
		b = append(b, ';')
	}
	return b
}

var styleAttrs = [...]struct {
	attr Attr
	code string
}{
	{Bold, "1"}, {Faint, "2"}, {Italic, "3"}, {Blink, "5"},
	{Reverse, "7"}, {Hidden, "8"}, {Strike, "9"}, {Overline, "53"},
}
