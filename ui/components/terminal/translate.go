package terminal

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/vt"
)

// translateKey turns a key of the user's terminal into one of the emulator's.
func (m *Model) translateKey(k tea.Key, action vt.KeyAction) vt.Key {
	out := translateKey(k, action)
	out.Vague = out.Mods&vt.Alt != 0 && !m.tellsEscape
	return out
}

func translateKey(k tea.Key, action vt.KeyAction) vt.Key {
	out := vt.Key{Code: k.Code, Shifted: k.ShiftedCode, Base: k.BaseCode, Text: k.Text, Mods: translateMods(k.Mod), Action: action}
	if k.Code == tea.KeyExtended { // several characters at once, as from an input method
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

func namedKey(code rune) (rune, bool) {
	switch {
	case code >= tea.KeyF1 && code <= tea.KeyF20:
		return vt.KeyF1 + code - tea.KeyF1, true
	case code >= tea.KeyKp0 && code <= tea.KeyKp9:
		return vt.KeyKP0 + code - tea.KeyKp0, true
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
	case tea.KeyEnter:
		return vt.KeyEnter, true
	case tea.KeyTab:
		return vt.KeyTab, true
	case tea.KeyEscape:
		return vt.KeyEscape, true
	case tea.KeySpace:
		return vt.KeySpace, true
	case tea.KeyBackspace:
		return vt.KeyBackspace, true
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
	case tea.KeyCapsLock:
		return vt.KeyCapsLock, true
	case tea.KeyScrollLock:
		return vt.KeyScrollLock, true
	case tea.KeyNumLock:
		return vt.KeyNumLock, true
	case tea.KeyPrintScreen:
		return vt.KeyPrintScreen, true
	case tea.KeyPause:
		return vt.KeyPause, true
	case tea.KeyMenu:
		return vt.KeyMenu, true
	case tea.KeyLeftShift:
		return vt.KeyLeftShift, true
	case tea.KeyLeftAlt:
		return vt.KeyLeftAlt, true
	case tea.KeyLeftCtrl:
		return vt.KeyLeftCtrl, true
	case tea.KeyLeftSuper:
		return vt.KeyLeftSuper, true
	case tea.KeyLeftHyper:
		return vt.KeyLeftHyper, true
	case tea.KeyLeftMeta:
		return vt.KeyLeftMeta, true
	case tea.KeyRightShift:
		return vt.KeyRightShift, true
	case tea.KeyRightAlt:
		return vt.KeyRightAlt, true
	case tea.KeyRightCtrl:
		return vt.KeyRightCtrl, true
	case tea.KeyRightSuper:
		return vt.KeyRightSuper, true
	case tea.KeyRightHyper:
		return vt.KeyRightHyper, true
	case tea.KeyRightMeta:
		return vt.KeyRightMeta, true
	}
	return 0, false
}

func translateButton(b tea.MouseButton) vt.MouseButton {
	switch b {
	case tea.MouseLeft:
		return vt.MouseLeft
	case tea.MouseMiddle:
		return vt.MouseMiddle
	case tea.MouseRight:
		return vt.MouseRight
	case tea.MouseWheelUp:
		return vt.WheelUp
	case tea.MouseWheelDown:
		return vt.WheelDown
	case tea.MouseWheelLeft:
		return vt.WheelLeft
	case tea.MouseWheelRight:
		return vt.WheelRight
	case tea.MouseBackward:
		return vt.MouseBackward
	case tea.MouseForward:
		return vt.MouseForward
	}
	return vt.MouseNone
}
