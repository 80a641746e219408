package vt

import "strconv"

// KittyFlags are the progressive enhancements of the kitty keyboard protocol.
type KittyFlags uint8

const (
	KittyDisambiguate KittyFlags = 1 << iota
	KittyEventTypes
	KittyAlternateKeys
	KittyAllKeys
	KittyText

	kittyAll = KittyDisambiguate | KittyEventTypes | KittyAlternateKeys | KittyAllKeys | KittyText
)

// kittyStack is the stack of flags of one screen. If it is full, the oldest entry is
// removed.
type kittyStack struct {
	flags [8]KittyFlags
	n     uint8 // pushed
	now   KittyFlags
}

func (k *kittyStack) top() KittyFlags { return k.now }

func (k *kittyStack) push(f KittyFlags) {
	if int(k.n) == len(k.flags) {
		copy(k.flags[:], k.flags[1:])
		k.n--
	}
	k.flags[k.n] = k.now
	k.n++
	k.now = f
}

func (k *kittyStack) pop(n int) {
	for ; n > 0; n-- {
		if k.n == 0 {
			k.now = 0
			return
		}
		k.n--
		k.now = k.flags[k.n]
	}
}

// kittyKeyboard is CSI prefix u.
func (t *Terminal) kittyKeyboard(prefix byte) {
	k := &t.scr.kitty
	flags := KittyFlags(t.param(0, 0)) & kittyAll
	switch prefix {
	case '?':
		now := k.now
		t.afterFacts(func() {
			if t.facts.KittyKeyboard {
				t.answer("\x1b[?%du", int(now))
			}
		})
	case '>':
		k.push(flags)
	case '<':
		k.pop(t.param(0, 1))
	case '=':
		switch t.param(1, 1) {
		case 1:
			k.now = flags
		case 2:
			k.now |= flags
		case 3:
			k.now &^= flags
		}
	}
}

// isModifierKey reports whether a key is a modifier such as Caps Lock.
func isModifierKey(code rune) bool {
	switch code {
	case KeyPause, KeyMenu, KeyPrintScreen:
		return false
	}
	return code >= KeyCapsLock
}

// encodeKitty encodes a key by the kitty keyboard protocol with the given flags.
func (t *Terminal) encodeKitty(k Key, f KittyFlags) []byte {
	if f&KittyEventTypes == 0 {
		switch k.Action {
		case KeyRelease:
			return nil
		case KeyRepeat:
			k.Action = KeyPress
		}
	}
	mods := k.Mods &^ (CapsLock | NumLock)
	if fn, ok := functionKeyOf(k.Code); ok {
		return t.kittyFunction(k, fn)
	}
	number, named := kittyNumber(k.Code)
	if !named && k.Code > 0x10ffff {
		return nil
	}
	released := k.Action == KeyRelease
	typesText := !released && mods&^Shift == 0
	if f&KittyAllKeys == 0 {
		legacyC0 := hasLegacyC0(k.Code)
		switch {
		case isModifierKey(k.Code), legacyC0 && released:
			return nil
		case legacyC0 && mods == 0:
			return t.encodeLegacy(k)
		case legacyC0, named, k.Code == KeyEscape:
		case typesText:
			k.Mods = mods
			return t.encodeLegacy(k)
		}
	}
	b := strconv.AppendInt([]byte("\x1b["), int64(number), 10)
	if f&KittyAlternateKeys != 0 && !named {
		b = appendAlternates(b, k)
	}
	text := ""
	if f&KittyText != 0 && typesText && !isControl(k.Code) {
		if text = k.Text; text == "" && !named {
			text = string(k.Code)
			if mods&Shift != 0 {
				text = string(shifted(k))
			}
		}
	}
	b = appendModsEvent(b, k, text != "")
	for i, r := range []rune(text) {
		sep := byte(':')
		if i == 0 {
			sep = ';'
		}
		b = strconv.AppendInt(append(b, sep), int64(r), 10)
	}
	return append(b, 'u')
}

// hasLegacyC0 reports whether a key keeps its control character in the protocol, so that a shell
// in which a program left the protocol on stays usable.
func hasLegacyC0(code rune) bool {
	switch code {
	case KeyEnter, KeyTab, KeyBackspace:
		return true
	}
	return false
}

// isPlainPress reports whether a key is pressed without modifiers, the default that its sequence
// leaves out.
func (k Key) isPlainPress() bool { return k.Mods == 0 && k.Action == KeyPress }

func appendAlternates(b []byte, k Key) []byte {
	shift := rune(0)
	if k.Mods&Shift != 0 {
		shift = shifted(k)
		if shift == k.Code {
			shift = 0
		}
	}
	base := k.Base
	if base == k.Code {
		base = 0
	}
	if shift == 0 && base == 0 {
		return b
	}
	b = append(b, ':')
	if shift != 0 {
		b = strconv.AppendInt(b, int64(shift), 10)
	}
	if base != 0 {
		b = strconv.AppendInt(append(b, ':'), int64(base), 10)
	}
	return b
}

// appendModsEvent appends ;mods:event, without defaults.
func appendModsEvent(b []byte, k Key, more bool) []byte {
	if k.isPlainPress() {
		if more {
			b = append(b, ';')
		}
		return b
	}
	b = strconv.AppendInt(append(b, ';'), int64(k.Mods)+1, 10)
	if k.Action != KeyPress {
		b = strconv.AppendInt(append(b, ':'), int64(k.Action)+1, 10)
	}
	return b
}

func (t *Terminal) kittyFunction(k Key, f functionKey) []byte {
	if k.Code == KeyF3 { // CSI R is a cursor report
		f = functionKey{13, '~', false}
	}
	if within(k.Code, KeyF13, KeyF20) {
		f = functionKey{57376 + int(k.Code-KeyF13), 'u', false}
	}
	if k.isPlainPress() {
		if f.number == 1 {
			return t.encodeFunction(f, 0)
		}
		return append(strconv.AppendInt([]byte("\x1b["), int64(f.number), 10), f.final)
	}
	b := strconv.AppendInt([]byte("\x1b["), int64(f.number), 10)
	return append(appendModsEvent(b, k, false), f.final)
}

// kittyNumber returns the number of a key in CSI number u. named is true for the keys
// in the protocol's private range.
func kittyNumber(code rune) (n int, named bool) {
	switch {
	case within(code, KeyKP0, KeyKPSeparator):
		return 57399 + int(code-KeyKP0), true
	case within(code, KeyCapsLock, KeyMenu):
		return 57358 + int(code-KeyCapsLock), true
	case within(code, KeyLeftShift, KeyRightMeta):
		return 57441 + int(code-KeyLeftShift), true
	}
	return int(code), false
}
