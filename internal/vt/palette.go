package vt

import (
	"cmp"
	"encoding/hex"
	"strconv"
	"strings"
)

// palette has the colors that OSC 4, 5, 10, 11 and 12 have changed.
type palette struct {
	indexed map[uint16]Color // from 256 on: colors of bold, underlined, ... text
	special [3]Color         // foreground, background, cursor
}

// maxIndexed is the number of colors of OSC 4: the palette, and five colors of
// attributes, which OSC 5 counts from 0. The latter are only reported.
const maxIndexed = 256 + 5

// defaultColor returns color n of xterm's palette as a direct color.
func defaultColor(n uint8) Color {
	switch {
	case n < 16:
		const base = "000000cd000000cd00cdcd000000eecd00cd00cdcde5e5e57f7f7fff000000ff00ffff005c5cffff00ff00ffffffffff"
		v, _ := strconv.ParseUint(base[int(n)*6:int(n)*6+6], 16, 32)
		return colorRGB | Color(v)
	case n < 232:
		level := func(v uint8) uint8 {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return RGB(level(n/36), level(n/6%6), level(n%6))
	}
	v := 8 + 10*(n-232)
	return RGB(v, v, v)
}

// specialColor returns the foreground (0), background (1) or cursor (2) color.
func (t *Terminal) specialColor(i int) Color {
	if c := t.palette.special[i]; c != 0 {
		return c
	}
	switch i {
	case 1:
		return cmp.Or(t.facts.Background, RGB(0, 0, 0))
	case 2:
		return t.specialColor(0)
	}
	return cmp.Or(t.facts.Foreground, RGB(0xe5, 0xe5, 0xe5))
}

// oscColor sets, resets and reports colors.
func (t *Terminal) oscColor(n int, s string) {
	if s == "?" && within(n, 10, 12) {
		t.setSpecialColor(n, s)
		return
	}
	f := strings.Split(s, ";")
	switch n {
	case 4, 5:
		for i := 0; i+1 < len(f); i += 2 {
			t.indexedColor(n, f[i], f[i+1])
		}
	case 104, 105:
		t.resetIndexed(n, f)
	case 110, 111, 112:
		t.palette.special[n-110] = 0
	default:
		for _, spec := range f {
			if n > 12 {
				return
			}
			t.setSpecialColor(n, spec)
			n++
		}
	}
}

// colorIndex parses the index of a color in OSC 4 and 104, or 5 and 105.
func colorIndex(osc int, s string) (uint16, bool) {
	k, err := strconv.ParseUint(s, 10, 16)
	switch osc {
	case 5, 105:
		k += 256
	}
	return uint16(k), err == nil && k < maxIndexed
}

func (t *Terminal) resetIndexed(osc int, list []string) {
	for _, s := range list {
		if k, ok := colorIndex(osc, s); ok {
			delete(t.palette.indexed, k)
		}
	}
	if len(list) == 1 && list[0] == "" { // all of them
		for k := range t.palette.indexed {
			if (k >= 256) == (osc == 105) {
				delete(t.palette.indexed, k)
			}
		}
	}
}

func (t *Terminal) indexedColor(osc int, number, spec string) {
	k, ok := colorIndex(osc, number)
	if !ok {
		return
	}
	if spec == "?" {
		c, ok := t.palette.indexed[k]
		switch {
		case ok:
		case k < 256:
			c = defaultColor(uint8(k))
		default:
			c = t.specialColor(0)
		}
		t.answerColor(osc, number, c)
		return
	}
	if c, ok := parseColor(spec); ok {
		if t.palette.indexed == nil {
			t.palette.indexed = make(map[uint16]Color)
		}
		t.palette.indexed[k] = c
	}
}

func (t *Terminal) setSpecialColor(n int, spec string) {
	if spec == "?" {
		t.afterFacts(func() { t.answerColor(n, "", t.specialColor(n-10)) })
		return
	}
	if c, ok := parseColor(spec); ok {
		t.palette.special[n-10] = c
	}
}

// answerColor reports a color, with its number in the palette if it has one.
func (t *Terminal) answerColor(osc int, number string, c Color) {
	reply := strconv.AppendInt(append(t.scratch[:0], "\x1b]"...), int64(osc), 10)
	if number != "" {
		reply = append(append(reply, ';'), number...)
	}
	reply = appendColorSpec(append(reply, ';'), c)
	t.scratch = append(reply, "\x1b\\"...)
	t.answerText(t.scratch)
}

// appendColorSpec appends a color as rgb:rrrr/gggg/bbbb.
func appendColorSpec(dst []byte, c Color) []byte {
	r, g, b, _ := c.RGB()
	dst = hex.AppendEncode(append(dst, "rgb:"...), []byte{r, r})
	dst = hex.AppendEncode(append(dst, '/'), []byte{g, g})
	return hex.AppendEncode(append(dst, '/'), []byte{b, b})
}

// parseColor parses rgb:r/g/b with 1 to 4 hexadecimal digits each, and #rgb, #rrggbb
// and longer forms, in which missing digits are zero.
func parseColor(s string) (Color, bool) {
	if v, ok := strings.CutPrefix(s, "#"); ok {
		n := len(v) / 3
		if !within(n, 1, 4) || len(v)%3 != 0 {
			return 0, false
		}
		return joinColor([]string{v[:n], v[n : 2*n], v[2*n:]}, func(p string) (uint8, error) {
			x, err := strconv.ParseUint(p, 16, 16)
			return uint8(x << (16 - 4*n) >> 8), err
		})
	}
	if v, ok := strings.CutPrefix(s, "rgb:"); ok {
		return joinColor(strings.Split(v, "/"), func(p string) (uint8, error) {
			x, err := strconv.ParseUint(p, 16, 16)
			return uint8(x * 255 / (1<<(4*len(p)) - 1)), err
		})
	}
	return 0, false
}

func joinColor(parts []string, read func(string) (uint8, error)) (Color, bool) {
	if len(parts) != 3 {
		return 0, false
	}
	var rgb [3]uint8
	for i, p := range parts {
		v, err := read(p)
		if err != nil || p == "" {
			return 0, false
		}
		rgb[i] = v
	}
	return RGB(rgb[0], rgb[1], rgb[2]), true
}
