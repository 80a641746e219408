package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// named returns a key press by name, including names unknown to pressOf.
func named(k string) tea.KeyPressMsg {
	switch k {
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	}
	return pressOf(k)
}

// pressOf returns a key press by name: a character, or a chord with one.
func pressOf(name string) tea.KeyPressMsg {
	var k tea.Key
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		switch mod {
		case "ctrl":
			k.Mod |= tea.ModCtrl
		case "alt":
			k.Mod |= tea.ModAlt
		case "shift":
			k.Mod |= tea.ModShift
		}
		name = rest
	}
	switch name {
	case "space":
		k.Code, k.Text = tea.KeySpace, " "
	case "enter":
		k.Code = tea.KeyEnter
	case "backspace":
		k.Code = tea.KeyBackspace
	case "tab":
		k.Code = tea.KeyTab
	case "left":
		k.Code = tea.KeyLeft
	case "right":
		k.Code = tea.KeyRight
	default:
		k.Code, _ = utf8.DecodeRuneInString(name)
		if k.Mod == 0 {
			k.Text = string(k.Code)
		}
	}
	return tea.KeyPressMsg(k)
}
