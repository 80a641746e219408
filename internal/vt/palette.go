package vt

import (
	"fmt"
	"strconv"
	"strings"
)

// palette is what OSC 4, 10, 11 and 12 changed.
type palette struct {
	indexed map[uint8]Color
	special [3]Color // foreground, background, cursor
}

// Palette returns the colour that the application gave to index n of the
// palette, or the usual one of xterm.
func (t *Terminal) Palette(n uint8) Color {
	if c, ok := t.palette.indexed[n]; ok {
		return c
	}
	return defaultColor(n)
}

// defaultColor is xterm's palette as direct colours.
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

// specialColor is the foreground (0), background (1) or cursor (2) colour.
func (t *Terminal) specialColor(i int) Color {
	if c := t.palette.special[i]; c != 0 {
		return c
	}
	known := [3]Color{t.facts.Foreground, t.facts.Background, t.facts.CursorColor}
	if c := known[i]; c != 0 {
		return c
	}
	if i == 2 {
		return t.specialColor(0)
	}
	return [2]Color{RGB(0xe5, 0xe5, 0xe5), RGB(0, 0, 0)}[i]
}

// oscColor sets, resets and reports colours.
func (t *Terminal) oscColor(n int, s string) {
	switch {
	case n == 4:
		f := strings.Split(s, ";")
		for i := 0; i+1 < len(f); i += 2 {
			if k, err := strconv.ParseUint(f[i], 10, 8); err == nil {
				t.paletteColor(uint8(k), f[i+1])
			}
		}
	case n == 104:
		if s == "" {
			t.palette.indexed = nil
		}
		for k := range strings.SplitSeq(s, ";") {
			if k, err := strconv.ParseUint(k, 10, 8); err == nil {
				delete(t.palette.indexed, uint8(k))
			}
		}
		t.touchAll()
	case n >= 110:
		t.palette.special[n-110] = 0
		t.touchAll()
	default:
		for f := range strings.SplitSeq(s, ";") {
			if n > 12 {
				return
			}
			t.setSpecialColor(n, f)
			n++
		}
	}
}

func (t *Terminal) paletteColor(k uint8, spec string) {
	if spec == "?" {
		t.answerOSC("4;%d;%s", k, colorSpec(t.Palette(k)))
		return
	}
	if c, ok := parseColor(spec); ok {
		if t.palette.indexed == nil {
			t.palette.indexed = make(map[uint8]Color)
		}
		t.palette.indexed[k] = c
		t.touchAll()
	}
}

func (t *Terminal) setSpecialColor(n int, spec string) {
	if spec == "?" {
		t.answerOSC("%d;%s", n, colorSpec(t.specialColor(n-10)))
		return
	}
	if c, ok := parseColor(spec); ok {
		t.palette.special[n-10] = c
		t.touchAll()
	}
}

func colorSpec(c Color) string {
	r, g, b, _ := c.RGB()
	return fmt.Sprintf("rgb:%02x%02x/%02x%02x/%02x%02x", r, r, g, g, b, b)
}

// parseColor reads rgb:r/g/b with 1 to 4 hexadecimal digits each, and #rgb,
// #rrggbb and longer.
func parseColor(s string) (Color, bool) {
	var part [3]string
	if v, ok := strings.CutPrefix(s, "#"); ok {
		n := len(v) / 3
		if n == 0 || len(v)%3 != 0 {
			return 0, false
		}
		part = [3]string{v[:n], v[n : 2*n], v[2*n:]}
	} else if v, ok := strings.CutPrefix(s, "rgb:"); ok {
		f := strings.Split(v, "/")
		if len(f) != 3 {
			return 0, false
		}
		part = [3]string(f)
	} else {
		return 0, false
	}
	var rgb [3]uint8
	for i, p := range part {
		v, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		rgb[i] = uint8(v * 255 / (1<<(4*len(p)) - 1))
	}
	return RGB(rgb[0], rgb[1], rgb[2]), true
}
