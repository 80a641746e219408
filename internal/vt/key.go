package vt

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Mods are the modifiers held with a key, numbered as in the kitty protocol.
type Mods uint8

const (
	Shift Mods = 1 << iota
	Alt
	Ctrl
	Super
	Hyper
	Meta
	CapsLock
	NumLock
)

// KeyAction is a press, repeat or release of a key.
type KeyAction uint8

// The actions; the zero value is a press. Repeats and releases are encoded only if
// the application has requested them.
const (
	KeyPress KeyAction = iota
	KeyRepeat
	KeyRelease
)

// Key is one keystroke. Code identifies the key: its character without modifiers
// ('a', not 'A'), or one of the named codes below. Text is the text that it types, if
// any ("A" for Shift+a).
type Key struct {
	Code    rune
	Shifted rune // the character with Shift, if known
	Base    rune // the key at the same position of a US keyboard, if known
	Text    string
	Mods    Mods
	Action  KeyAction
	// Ambiguous means that the key was received as an escape and a character, which
	// could also be two keys. It is not encoded by modifyOtherKeys then.
	Ambiguous bool
}

// Codes of keys with a control character.
const (
	KeyEnter     rune = '\r'
	KeyTab       rune = '\t'
	KeyEscape    rune = 0x1b
	KeySpace     rune = ' '
	KeyBackspace rune = 0x7f
)

// Codes of named keys, beyond all characters.
const (
	KeyUp rune = 0x110000 + iota
	KeyDown
	KeyRight
	KeyLeft
	KeyHome
	KeyEnd
	KeyInsert
	KeyDelete
	KeyPageUp
	KeyPageDown
	KeyBegin
	KeyF1
	KeyF2
	KeyF3
	KeyF4
	KeyF5
	KeyF6
	KeyF7
	KeyF8
	KeyF9
	KeyF10
	KeyF11
	KeyF12
	KeyF13
	KeyF14
	KeyF15
	KeyF16
	KeyF17
	KeyF18
	KeyF19
	KeyF20
	KeyKP0
	KeyKP1
	KeyKP2
	KeyKP3
	KeyKP4
	KeyKP5
	KeyKP6
	KeyKP7
	KeyKP8
	KeyKP9
	KeyKPDecimal
	KeyKPDivide
	KeyKPMultiply
	KeyKPSubtract
	KeyKPAdd
	KeyKPEnter
	KeyKPEqual
	KeyKPSeparator
	KeyCapsLock
	KeyScrollLock
	KeyNumLock
	KeyPrintScreen
	KeyPause
	KeyMenu
	KeyLeftShift
	KeyLeftCtrl
	KeyLeftAlt
	KeyLeftSuper
	KeyLeftHyper
	KeyLeftMeta
	KeyRightShift
	KeyRightCtrl
	KeyRightAlt
	KeyRightSuper
	KeyRightHyper
	KeyRightMeta
)

// EncodeKey returns the bytes that the application expects for a key in its current
// modes, nothing for a key without an encoding.
func (t *Terminal) EncodeKey(k Key) []byte {
	if f := t.scr.kitty.top(); f != 0 {
		return t.encodeKitty(k, f)
	}
	if k.Action == KeyRelease {
		return nil
	}
	return t.encodeLegacy(k)
}

// functionKey is the encoding of a named key: CSI number ; mods ~, or CSI 1 ; mods
// letter.
type functionKey struct {
	number int
	final  byte
	ss3    bool // ESC O letter without modifiers, in all modes
}

func functionKeyOf(code rune) (functionKey, bool) {
	switch {
	case within(code, KeyUp, KeyLeft):
		return functionKey{1, "ABCD"[code-KeyUp], false}, true
	case within(code, KeyF1, KeyF4):
		return functionKey{1, "PQRS"[code-KeyF1], true}, true
	case within(code, KeyF5, KeyF20):
		n := [16]int{15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34}[code-KeyF5]
		return functionKey{n, '~', false}, true
	}
	if !within(code, KeyHome, KeyBegin) {
		return functionKey{}, false
	}
	return [...]functionKey{ // from KeyHome to KeyBegin
		{1, 'H', false}, {1, 'F', false}, {2, '~', false}, {3, '~', false}, {5, '~', false}, {6, '~', false}, {1, 'E', false},
	}[code-KeyHome], true
}

// encodeLegacy encodes a key like xterm.
func (t *Terminal) encodeLegacy(k Key) []byte {
	mods := k.Mods &^ (CapsLock | NumLock | Super | Hyper)
	if mods&Meta != 0 {
		mods = mods&^Meta | Alt
	}
	if f, ok := functionKeyOf(k.Code); ok {
		return t.encodeFunction(f, mods)
	}
	if within(k.Code, KeyKP0, KeyKPSeparator) {
		return t.encodeKeypad(k, mods)
	}
	if k.Code > 0x10ffff {
		return nil
	}
	if t.modifyKeys > 0 && !k.Ambiguous {
		if b := t.encodeModified(k, mods); b != nil {
			return b
		}
	}
	var b []byte
	if mods&Alt != 0 {
		b = append(b, 0x1b)
	}
	switch k.Code {
	case KeyTab:
		if mods&Shift != 0 {
			return append(b, "\x1b[Z"...)
		}
		return append(b, '\t')
	case KeyEnter:
		b = append(b, '\r')
		if t.modes.has(modeNewLine) {
			b = append(b, '\n')
		}
		return b
	case KeyEscape:
		return append(b, 0x1b)
	case KeyBackspace:
		del, bs := byte(0x7f), byte(0x08)
		if t.modes.has(modeBackspaceSendsBS) != (mods&Ctrl != 0) {
			del = bs
		}
		return append(b, del)
	}
	if mods&Ctrl != 0 {
		if c, ok := controlByte(k); ok {
			return append(b, c)
		}
	}
	if k.Text != "" {
		return append(b, k.Text...)
	}
	r := k.Code
	if mods&Shift != 0 {
		r = shifted(k)
	}
	if r < 0x20 {
		return append(b, byte(r))
	}
	return append(b, string(r)...)
}

// shifted returns the character of a key with Shift.
func shifted(k Key) rune {
	if k.Shifted != 0 {
		return k.Shifted
	}
	if within(k.Code, 'a', 'z') {
		return k.Code - 'a' + 'A'
	}
	return k.Code
}

// controlByte returns the control character of a key with Ctrl.
func controlByte(k Key) (byte, bool) {
	c := k.Code
	if c >= 0x80 && k.Base != 0 {
		c = k.Base // Ctrl+с on a Cyrillic keyboard is Ctrl+C
	}
	switch {
	case within(c, 'a', 'z'):
		return byte(c) & 0x1f, true
	case within(c, '@', '_'):
		return byte(c) & 0x1f, true
	case c == ' ', c == '2':
		return 0, true
	case within(c, '3', '7'):
		return byte(c) - '3' + 0x1b, true
	case c == '8', c == '?':
		return 0x7f, true
	case c == '/', c == '-':
		return 0x1f, true
	case c == '`':
		return 0, true
	case c == '~':
		return 0x1e, true
	}
	return 0, false
}

func (t *Terminal) encodeFunction(f functionKey, mods Mods) []byte {
	if b, ok := functionKeyVT52(f); ok && t.modes.has(modeVT52) {
		return b
	}
	if mods == 0 && f.final != '~' {
		if f.ss3 || t.modes.has(modeAppCursor) {
			return []byte{0x1b, 'O', f.final}
		}
		return []byte{0x1b, '[', f.final}
	}
	b := strconv.AppendInt([]byte("\x1b["), int64(f.number), 10)
	if mods != 0 {
		b = append(b, ';')
		b = strconv.AppendInt(b, int64(mods)+1, 10)
	}
	return append(b, f.final)
}

// encodeKeypad encodes a key of the keypad: with the keypad's own codes in application
// mode, else as a character.
func (t *Terminal) encodeKeypad(k Key, mods Mods) []byte {
	i := k.Code - KeyKP0
	if t.modes.has(modeAppKeypad) && mods&^Shift == 0 {
		lead := byte('O')
		if t.modes.has(modeVT52) {
			lead = '?'
		}
		return []byte{0x1b, lead, "pqrstuvwxynojmkMXl"[i]}
	}
	plain := Key{Code: rune("0123456789./*-+\r=,"[i]), Mods: k.Mods}
	return t.encodeLegacy(plain)
}

// encodeModified encodes a key by modifyOtherKeys. It returns nil if the usual
// encoding applies.
func (t *Terminal) encodeModified(k Key, mods Mods) []byte {
	if mods == 0 {
		return nil
	}
	code := k.Code
	if mods&Shift != 0 {
		code = shifted(k)
	}
	special := isControl(code)
	switch {
	case mods == Shift && !special && code != ' ':
		return nil
	case t.modifyKeys == 1:
		// Keys with a usual encoding keep it.
		switch {
		case code == KeyTab && mods == Shift, code == KeyBackspace && mods&^Ctrl == 0:
			return nil
		case special:
		case mods == Alt:
			return nil
		case mods&(Ctrl|Shift) == Ctrl:
			if _, ok := controlByte(k); ok {
				return nil
			}
		}
	}
	b := strconv.AppendInt([]byte("\x1b[27;"), int64(mods)+1, 10)
	b = append(b, ';')
	b = strconv.AppendInt(b, int64(code), 10)
	return append(b, '~')
}

// ParseKey parses tmux's name of a key: a character, or a name such as Up, F5, Enter,
// Space, BSpace, DC, PPage, with the prefixes C-, M- and S-; ^c is C-c.
func ParseKey(name string) (Key, error) {
	var k Key
	rest := name
	if n := len(rest); n == 2 && rest[0] == '^' {
		k.Mods, rest = Ctrl, strings.ToLower(rest[1:])
	}
	for len(rest) > 2 && rest[1] == '-' {
		switch rest[0] {
		case 'C', 'c':
			k.Mods |= Ctrl
		case 'M', 'm':
			k.Mods |= Alt
		case 'S', 's':
			k.Mods |= Shift
		default:
			return Key{}, fmt.Errorf("unknown modifier in key %q: use C-, M- or S-", name)
		}
		rest = rest[2:]
	}
	if r, n := utf8.DecodeRuneInString(rest); r != utf8.RuneError && n == len(rest) {
		return characterKey(k.Mods, r), nil
	}
	code, ok := namedKey(rest)
	if !ok {
		return Key{}, fmt.Errorf("unknown key %q: use a character or a name such as Enter, Up, F5, C-c, M-x", name)
	}
	if code == keyBackTab {
		code, k.Mods = KeyTab, k.Mods|Shift
	}
	k.Code = code
	if code == KeySpace && k.Mods&^Shift == 0 {
		k.Text = " "
	}
	return k, nil
}

// ParseKeys parses several names of keys. As in tmux, other words are text. A word
// with a modifier that is not a valid name is an error.
func ParseKeys(words ...string) ([]Key, error) {
	keys := make([]Key, 0, len(words))
	for _, w := range words {
		k, err := ParseKey(w)
		switch {
		case err == nil:
			keys = append(keys, k)
		case isText(w):
			for _, r := range w {
				keys = append(keys, characterKey(0, r))
			}
		default:
			return nil, err
		}
	}
	return keys, nil
}

// isText reports whether a word that is not the name of a key is text: it does not
// begin with a modifier, abbreviated or in full.
func isText(word string) bool {
	if word == "" || !utf8.ValidString(word) {
		return false
	}
	if i := strings.IndexAny(word, "-+"); within(i, 1, len(word)-2) {
		switch strings.ToLower(word[:i]) {
		case "c", "m", "s":
			return word[i] == '+'
		case "ctrl", "control", "alt", "meta", "shift":
			return false
		}
	}
	return true
}

// characterKey returns the key that types r on a US keyboard. Other characters are
// keys themselves.
func characterKey(mods Mods, r rune) Key {
	k := Key{Code: r, Mods: mods}
	if within(r, 'A', 'Z') {
		k.Code = r - 'A' + 'a'
		if mods&Ctrl == 0 {
			k.Shifted, k.Mods = r, mods|Shift
		}
	}
	if k.Mods&^Shift == 0 {
		k.Text = string(r)
		if k.Mods&Shift != 0 {
			k.Text = string(shifted(k))
		}
	}
	return k
}

const keyBackTab rune = -1

// keyNames are tmux's names of keys besides characters and F1 to F20.
var keyNames = [...]struct {
	name string
	code rune
}{
	{"up", KeyUp}, {"down", KeyDown}, {"left", KeyLeft}, {"right", KeyRight}, {"home", KeyHome}, {"end", KeyEnd},
	{"ic", KeyInsert}, {"insert", KeyInsert}, {"dc", KeyDelete}, {"delete", KeyDelete},
	{"ppage", KeyPageUp}, {"pageup", KeyPageUp}, {"pgup", KeyPageUp},
	{"npage", KeyPageDown}, {"pagedown", KeyPageDown}, {"pgdn", KeyPageDown},
	{"enter", KeyEnter}, {"return", KeyEnter}, {"escape", KeyEscape}, {"esc", KeyEscape},
	{"tab", KeyTab}, {"btab", keyBackTab}, {"backtab", keyBackTab}, {"space", KeySpace},
	{"bspace", KeyBackspace}, {"backspace", KeyBackspace},
	{"kpenter", KeyKPEnter}, {"kp/", KeyKPDivide}, {"kp*", KeyKPMultiply},
	{"kp-", KeyKPSubtract}, {"kp+", KeyKPAdd}, {"kp.", KeyKPDecimal},
	{"kp0", KeyKP0}, {"kp1", KeyKP1}, {"kp2", KeyKP2}, {"kp3", KeyKP3}, {"kp4", KeyKP4},
	{"kp5", KeyKP5}, {"kp6", KeyKP6}, {"kp7", KeyKP7}, {"kp8", KeyKP8}, {"kp9", KeyKP9},
}

func namedKey(name string) (rune, bool) {
	lower := strings.ToLower(name)
	if number, ok := strings.CutPrefix(lower, "f"); ok {
		if n, err := strconv.Atoi(number); err == nil && within(n, 1, 20) {
			return KeyF1 + rune(n-1), true
		}
	}
	for _, key := range keyNames {
		if key.name == lower {
			return key.code, true
		}
	}
	return 0, false
}
