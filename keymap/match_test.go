package keymap

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestMatch(t *testing.T) {
	m := Default()
	press := func(k tea.Key) tea.KeyPressMsg { return tea.KeyPressMsg(k) }
	for name, tt := range map[string]struct {
		key  tea.Key
		want string // the action in the list, the log or the terminal; "" for none
		in   string
	}{
		"letter":                          {tea.Key{Code: 'x', Text: "x"}, "stop", "list"},
		"upper case, legacy":              {tea.Key{Code: 'X', Text: "X", Mod: tea.ModShift}, "kill", "list"},
		"upper case, kitty":               {tea.Key{Code: 'x', ShiftedCode: 'X', Text: "X", Mod: tea.ModShift}, "kill", "list"},
		"caps lock means upper case":      {tea.Key{Code: 'x', Text: "X", Mod: tea.ModCapsLock}, "kill", "list"},
		"space is called space":           {tea.Key{Code: tea.KeySpace, Text: " "}, "mark", "list"},
		"leave":                           {tea.Key{Code: 'b', Mod: tea.ModCtrl}, "leave", "terminal"},
		"leave with num lock":             {tea.Key{Code: 'b', Mod: tea.ModCtrl | tea.ModNumLock}, "leave", "terminal"},
		"leave is not Ctrl+Shift+B":       {tea.Key{Code: 'b', Mod: tea.ModCtrl | tea.ModShift}, "", "terminal"},
		"Ctrl+B by its letter, Dvorak":    {tea.Key{Code: 'b', BaseCode: 'n', Mod: tea.ModCtrl}, "leave", "terminal"},
		"not Ctrl+B by its place, Dvorak": {tea.Key{Code: 'x', BaseCode: 'b', Mod: tea.ModCtrl}, "", "terminal"},
		"Ctrl+И in Russian":               {tea.Key{Code: 'и', BaseCode: 'b', Mod: tea.ModCtrl}, "leave", "terminal"},
		"Ctrl+И, place not reported":      {tea.Key{Code: 'и', Mod: tea.ModCtrl}, "leave", "terminal"},
		"a typed on AZERTY is a":          {tea.Key{Code: 'a', BaseCode: 'q', Text: "a"}, "attach", "list"},
		"Latin letter by no place":        {tea.Key{Code: 'b', BaseCode: 'n', Text: "b"}, "", "list"},
		"ö is no key of ours":             {tea.Key{Code: 'ö', BaseCode: ';', Text: "ö"}, "", "list"},
		"Russian ч":                       {tea.Key{Code: 'ч', BaseCode: 'x', Text: "ч"}, "stop", "list"},
		"Russian Ч":                       {tea.Key{Code: 'ч', ShiftedCode: 'Ч', BaseCode: 'x', Text: "Ч", Mod: tea.ModShift}, "kill", "list"},
		"Russian ч, place not reported":   {tea.Key{Code: 'ч', Text: "ч"}, "stop", "list"},
		"Russian Ч, place not reported":   {tea.Key{Code: 'Ч', Text: "Ч"}, "kill", "list"},
		"Russian Ж is a colon":            {tea.Key{Code: 'ж', BaseCode: ';', Text: "Ж", Mod: tea.ModShift}, "palette", "list"},
		"Ukrainian І sorts":               {tea.Key{Code: 'І', Text: "І"}, "sort", "list"},
		"Greek χ":                         {tea.Key{Code: 'χ', Text: "χ"}, "stop", "list"},
		"Greek Χ":                         {tea.Key{Code: 'χ', BaseCode: 'x', Text: "Χ", Mod: tea.ModShift}, "kill", "list"},
		"unknown alphabet":                {tea.Key{Code: 'あ', Text: "あ"}, "", "list"},
		"page down":                       {tea.Key{Code: tea.KeyPgDown}, "page-down", "log"},
		"shift+tab":                       {tea.Key{Code: tea.KeyTab, Mod: tea.ModShift}, "previous-pane", "list"},
		"keypad enter":                    {tea.Key{Code: tea.KeyKpEnter}, "open", "list"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, a := range m.ByContext()[tt.in] {
				if Match(press(tt.key), a.Binding) {
					got = a.Name
					break
				}
			}
			if got != tt.want {
				t.Errorf("%v means %q, want %q", tt.key, got, tt.want)
			}
		})
	}
}

func TestDisabledBindingsMatchNothing(t *testing.T) {
	m, err := Default().Apply(Overrides{"leave": nil})
	if err != nil {
		t.Fatal(err)
	}
	if Match(tea.KeyPressMsg{Code: 'b', Mod: tea.ModCtrl}, m.Terminal.Leave) {
		t.Error("a leave chord that is switched off still leaves")
	}
	off := Default().Panes.Stop
	off.SetEnabled(false)
	if Match(tea.KeyPressMsg{Code: 'x', Text: "x"}, off) {
		t.Error("a disabled binding matches")
	}
}

func TestLayoutsPairUp(t *testing.T) {
	for _, l := range [][2]string{{russian, russianUS}, {ukraine, ukraineUS}, {greek, greekUS}, {plainUS, shiftUS}} {
		if a, b := len([]rune(l[0])), len([]rune(l[1])); a != b {
			t.Errorf("%q has %d characters, %q has %d", l[0], a, l[1], b)
		}
	}
}
