package vt

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// MouseMode is the set of mouse events that the application has requested.
type MouseMode uint8

// The mouse modes. Each except X10 includes those before it.
const (
	MouseOff    MouseMode = iota
	MousePress            // mode 9: presses only, no modifiers
	MouseNormal           // mode 1000: presses and releases
	MouseDrag             // mode 1002: and motion with a button held
	MouseMotion           // mode 1003: and all motion
)

// MouseEncoding is the encoding of mouse reports.
type MouseEncoding uint8

const (
	MouseX10    MouseEncoding = iota
	MouseUTF8                 // mode 1005
	MouseSGR                  // mode 1006
	MouseURXVT                // mode 1015
	MousePixels               // mode 1016: as SGR, in pixels
)

// The private modes that select them, by MouseMode and MouseEncoding.
var (
	mouseModes     = [...]int{MousePress: 9, MouseNormal: 1000, MouseDrag: 1002, MouseMotion: 1003}
	mouseEncodings = [...]int{MouseUTF8: 1005, MouseSGR: 1006, MouseURXVT: 1015, MousePixels: 1016}
)

func (t *Terminal) setMouse(n int, on bool) {
	t.mouse = MouseOff
	if on {
		t.mouse = MouseMode(slices.Index(mouseModes[:], n))
	}
}

func (t *Terminal) setMouseEncoding(n int, on bool) {
	e := MouseEncoding(slices.Index(mouseEncodings[:], n))
	switch {
	case on:
		t.mouseEnc = e
	case t.mouseEnc == e:
		t.mouseEnc = MouseX10
	}
}

type MouseButton uint8

const (
	MouseNone MouseButton = iota // motion without a button
	MouseLeft
	MouseMiddle
	MouseRight
	WheelUp
	WheelDown
	WheelLeft
	WheelRight
	MouseBackward
	MouseForward
)

// MouseAction is a press, release or motion.
type MouseAction uint8

const (
	MouseDown MouseAction = iota
	MouseUp
	MouseMove
)

// Mouse is one mouse event; X and Y are cells from 0.
type Mouse struct {
	X, Y   int
	Button MouseButton
	Action MouseAction
	Mods   Mods
}

// EncodeMouse returns the report of a mouse event, nothing if the application has not
// requested it. On the alternate screen of an application without mouse support, the
// wheel sends cursor keys (mode 1007).
func (t *Terminal) EncodeMouse(m Mouse) []byte {
	wheel := within(m.Button, WheelUp, WheelRight)
	if t.mouse == MouseOff {
		return t.wheelKeys(m)
	}
	screen := area{0, 0, t.rows - 1, t.cols - 1}
	if !t.wants(m, wheel) || !screen.contains(m.X, m.Y) {
		return nil
	}
	code := buttonCode(m.Button)
	if m.Action == MouseMove {
		code += 32
	}
	if t.mouse != MousePress {
		if m.Mods&Shift != 0 {
			code += 4
		}
		if m.Mods&(Alt|Meta) != 0 {
			code += 8
		}
		if m.Mods&Ctrl != 0 {
			code += 16
		}
	}
	release := m.Action == MouseUp
	switch t.mouseEnc {
	case MouseSGR, MousePixels:
		x, y := m.X+1, m.Y+1
		if t.mouseEnc == MousePixels {
			x, y = t.pixels(m)
		}
		final := byte('M')
		if release {
			final = 'm'
		}
		return fmt.Appendf(nil, "\x1b[<%d;%d;%d%c", code, x, y, final)
	}
	if release {
		code = code&^0xc3 | 3
	}
	switch t.mouseEnc {
	case MouseURXVT:
		return fmt.Appendf(nil, "\x1b[%d;%d;%dM", code+32, m.X+1, m.Y+1)
	case MouseUTF8:
		b := append([]byte("\x1b[M"), byte(code+32))
		if max(m.X, m.Y) >= 2015 {
			return nil
		}
		b = utf8.AppendRune(b, rune(m.X+33))
		return utf8.AppendRune(b, rune(m.Y+33))
	}
	if max(m.X, m.Y) > 222 {
		return nil // not representable in a byte
	}
	return []byte{0x1b, '[', 'M', byte(code + 32), byte(m.X + 33), byte(m.Y + 33)}
}

// pixels returns the position of an event in mode 1016: the middle of its cell.
func (t *Terminal) pixels(m Mouse) (x, y int) {
	w, h := t.cellPixels()
	return m.X*w + w/2 + 1, m.Y*h + h/2 + 1
}

// wants reports whether the mouse mode includes an event.
func (t *Terminal) wants(m Mouse, wheel bool) bool {
	switch m.Action {
	case MouseDown:
		return m.Button != MouseNone
	case MouseUp:
		return t.mouse >= MouseNormal && !wheel
	}
	switch t.mouse {
	case MouseMotion:
		return true
	case MouseDrag:
		return m.Button != MouseNone
	}
	return false
}

func buttonCode(b MouseButton) int {
	switch {
	case b == MouseNone:
		return 3
	case b <= MouseRight:
		return int(b - MouseLeft)
	case b <= WheelRight:
		return 64 + int(b-WheelUp)
	}
	return 128 + int(b-MouseBackward)
}

func (t *Terminal) wheelKeys(m Mouse) []byte {
	if !t.onAlt() || !t.modes.has(modeAltScroll) || m.Action != MouseDown {
		return nil
	}
	var k Key
	switch m.Button {
	case WheelUp:
		k.Code = KeyUp
	case WheelDown:
		k.Code = KeyDown
	default:
		return nil
	}
	one := t.encodeLegacy(k)
	return slices.Repeat(one, 3)
}

// EncodePaste returns the bytes that the application expects for a paste: in brackets
// if it has requested them. Control characters that could end the brackets or act as
// keys are removed, and line ends become carriage returns.
func (t *Terminal) EncodePaste(text []byte) []byte {
	bracketed := t.modes.has(modeBracketedPaste)
	b := make([]byte, 0, len(text)+12)
	if bracketed {
		b = append(b, "\x1b[200~"...)
	}
	for i, c := range text {
		switch {
		case c == '\n' && i > 0 && text[i-1] == '\r':
		case c == '\n':
			b = append(b, '\r')
		case c == '\r', c == '\t', !isControl(c):
			b = append(b, c)
		}
	}
	if bracketed {
		b = append(b, "\x1b[201~"...)
	}
	return b
}

// EncodeFocus returns the report that the terminal gained or lost the focus, nothing
// if the application has not requested it.
func (t *Terminal) EncodeFocus(focused bool) []byte {
	switch {
	case !t.modes.has(modeFocus):
		return nil
	case focused:
		return []byte("\x1b[I")
	}
	return []byte("\x1b[O")
}
