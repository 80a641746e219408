package terminal

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/vt"
)

// translateKey converts a key of the user's terminal to one of the emulator.
func (m *Model) translateKey(k tea.Key, action vt.KeyAction) vt.Key {
	out := translateKey(k, action)
	out.Ambiguous = out.Mods&vt.Alt != 0 && !m.distinctEscape
	return out
}

func translateKey(k tea.Key, action vt.KeyAction) vt.Key {
	out := vt.Key{Code: k.Code, Shifted: k.ShiftedCode, Base: k.BaseCode, Text: k.Text, Mods: translateMods(k.Mod), Action: action}
	if k.Code == tea.KeyExtended { // several characters at once, for example from an input method
		out.Code = 0
		return out
	}
	if code, ok := namedKey(k.Code); ok {
		out.Code = code
	}
	return out
}

func translateMods(mod tea.KeyMod) vt.Mods {
	var out vt.Mods
	for _, p := range [...]struct {
		from tea.KeyMod
		to   vt.Mods
	}{
		{tea.ModShift, vt.Shift},
		{tea.ModAlt, vt.Alt},
		{tea.ModCtrl, vt.Ctrl},
		{tea.ModSuper, vt.Super},
		{tea.ModHyper, vt.Hyper},
		{tea.ModMeta, vt.Meta},
		{tea.ModCapsLock, vt.CapsLock},
		{tea.ModNumLock, vt.NumLock},
	} {
		if mod&p.from != 0 {
			out |= p.to
		}
	}
	return out
}

// namedKey returns the emulator's code of a key that types no character.
func namedKey(code rune) (rune, bool) {
	for _, r := range [...]struct{ first, last, to rune }{
		{tea.KeyF1, tea.KeyF20, vt.KeyF1},
		{tea.KeyKp0, tea.KeyKp9, vt.KeyKP0},
		{tea.KeyCapsLock, tea.KeyMenu, vt.KeyCapsLock},
		{tea.KeyLeftSuper, tea.KeyLeftMeta, vt.KeyLeftSuper},
		{tea.KeyRightSuper, tea.KeyRightMeta, vt.KeyRightSuper},
	} {
		if code >= r.first && code <= r.last {
			return r.to + code - r.first, true
		}
	}
	switch code {
	case tea.KeyUp, tea.KeyKpUp:
		return vt.KeyUp, true
	case tea.KeyDown, tea.KeyKpDown:
		return vt.KeyDown, true
	case tea.KeyRight, tea.KeyKpRight:
		return vt.KeyRight, true
	case tea.KeyLeft, tea.KeyKpLeft:
		return vt.KeyLeft, true
	case tea.KeyHome, tea.KeyFind, tea.KeyKpHome:
		return vt.KeyHome, true
	case tea.KeyEnd, tea.KeySelect, tea.KeyKpEnd:
		return vt.KeyEnd, true
	case tea.KeyInsert, tea.KeyKpInsert:
		return vt.KeyInsert, true
	case tea.KeyDelete, tea.KeyKpDelete:
		return vt.KeyDelete, true
	case tea.KeyPgUp, tea.KeyKpPgUp:
		return vt.KeyPageUp, true
	case tea.KeyPgDown, tea.KeyKpPgDown:
		return vt.KeyPageDown, true
	case tea.KeyBegin, tea.KeyKpBegin:
		return vt.KeyBegin, true
	case tea.KeyKpEnter:
		return vt.KeyKPEnter, true
	case tea.KeyKpEqual:
		return vt.KeyKPEqual, true
	case tea.KeyKpMultiply:
		return vt.KeyKPMultiply, true
	case tea.KeyKpPlus:
		return vt.KeyKPAdd, true
	case tea.KeyKpComma, tea.KeyKpSep:
		return vt.KeyKPSeparator, true
	case tea.KeyKpMinus:
		return vt.KeyKPSubtract, true
	case tea.KeyKpDecimal:
		return vt.KeyKPDecimal, true
	case tea.KeyKpDivide:
		return vt.KeyKPDivide, true
	case tea.KeyLeftShift:
		return vt.KeyLeftShift, true
	case tea.KeyLeftAlt:
		return vt.KeyLeftAlt, true
	case tea.KeyLeftCtrl:
		return vt.KeyLeftCtrl, true
	case tea.KeyRightShift:
		return vt.KeyRightShift, true
	case tea.KeyRightAlt:
		return vt.KeyRightAlt, true
	case tea.KeyRightCtrl:
		return vt.KeyRightCtrl, true
	}
	return 0, false
}

// translateButton converts a button. Both sides use the same numbers.
func translateButton(b tea.MouseButton) vt.MouseButton {
	if b > tea.MouseForward {
		return vt.MouseNone
	}
	return vt.MouseButton(b)
}
