package vt

import (
	"testing"
)

func TestKeys(t *testing.T) {
	tests := []struct {
		modes, keys, want string
	}{
		{"", "a", "a"},
		{"", "A", "A"},
		{"", "é", "é"},
		{"", "C-c", "\x03"},
		{"", "^c", "\x03"},
		{"", "C-Space", "\x00"},
		{"", "C-[", "\x1b"},
		{"", "M-x", "\x1bx"},
		{"", "M-C-x", "\x1b\x18"},
		{"", "M-X", "\x1bX"},
		{"", "Enter", "\r"},
		{"", "Space", " "},
		{"", "Tab", "\t"},
		{"", "S-Tab", "\x1b[Z"},
		{"", "BTab", "\x1b[Z"},
		{"", "Escape", "\x1b"},
		{"", "BSpace", "\x7f"},
		{"", "C-BSpace", "\x08"},
		{"", "M-BSpace", "\x1b\x7f"},
		{"", "Up", "\x1b[A"},
		{"", "C-Up", "\x1b[1;5A"},
		{"", "S-M-C-Left", "\x1b[1;8D"},
		{"", "Home", "\x1b[H"},
		{"", "End", "\x1b[F"},
		{"", "IC", "\x1b[2~"},
		{"", "DC", "\x1b[3~"},
		{"", "PPage", "\x1b[5~"},
		{"", "C-NPage", "\x1b[6;5~"},
		{"", "F1", "\x1bOP"},
		{"", "S-F1", "\x1b[1;2P"},
		{"", "F5", "\x1b[15~"},
		{"", "F12", "\x1b[24~"},
		{"", "KP5", "5"},
		{"\x1b[?1h", "Up", "\x1bOA"},
		{"\x1b[?1h", "C-Up", "\x1b[1;5A"},
		{"\x1b=", "KP5", "\x1bOu"},
		{"\x1b=", "KPEnter", "\x1bOM"},
		{"\x1b[?2l", "Up", "\x1bA"},
		{"\x1b[?2l", "F1", "\x1bP"},
		{"\x1b[?2l\x1b=", "KP5", "\x1b?u"},
		{"\x1b[20h", "Enter", "\r\n"},
		{"\x1b[?67h", "BSpace", "\x08"},
		{"\x1b[>4;1m", "C-i", "\t"},
		{"\x1b[>4;1m", "C-Enter", "\x1b[27;5;13~"},
		{"\x1b[>4;2m", "C-i", "\x1b[27;5;105~"},
		{"\x1b[>4;2m", "M-x", "\x1b[27;3;120~"},
		{"\x1b[>4;2m", "a", "a"},
		{"\x1b[>1u", "a", "a"},
		{"\x1b[>1u", "A", "A"},
		{"\x1b[>1u", "C-c", "\x1b[99;5u"},
		{"\x1b[>1u", "M-x", "\x1b[120;3u"},
		{"\x1b[>1u", "Escape", "\x1b[27u"},
		{"\x1b[>1u", "Enter", "\r"},
		{"\x1b[>1u", "S-Enter", "\x1b[13;2u"},
		{"\x1b[>1u", "S-Tab", "\x1b[9;2u"},
		{"\x1b[>1u", "Up", "\x1b[A"},
		{"\x1b[>1u", "C-Up", "\x1b[1;5A"},
		{"\x1b[>1u", "F3", "\x1b[13~"},
		{"\x1b[>1u", "F5", "\x1b[15~"},
		{"\x1b[>5u", "C-S-a", "\x1b[97:65;6u"},
		{"\x1b[>9u", "a", "\x1b[97u"},
		{"\x1b[>25u", "A", "\x1b[97;2;65u"},
		{"\x1b[>8u", "Enter", "\x1b[13u"},
		{"\x1b[>1u", "KP5", "\x1b[57404u"},
		{"\x1b[>1u\x1b[<u", "C-c", "\x03"},
		{"\x1b[>1u\x1b[!p", "C-c", "\x03"},
	}
	for _, tt := range tests {
		term := New(80, 24)
		term.Write([]byte(tt.modes))
		k, err := ParseKey(tt.keys)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(term.EncodeKey(k)); got != tt.want {
			t.Errorf("%q in %q: got %q, want %q", tt.keys, tt.modes, got, tt.want)
		}
	}
}

func TestKeyReleases(t *testing.T) {
	term := New(80, 24)
	up := Key{Code: 'a', Text: "a", Action: KeyRelease}
	if got := term.EncodeKey(up); got != nil {
		t.Errorf("a release was encoded without a request: %q", got)
	}
	term.Write([]byte("\x1b[>11u"))
	if got, want := string(term.EncodeKey(up)), "\x1b[97;1:3u"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	shift := Key{Code: KeyLeftShift, Mods: Shift}
	if got, want := string(term.EncodeKey(shift)), "\x1b[57441;2u"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnknownKeys(t *testing.T) {
	for _, name := range []string{"", "X-a", "Nosuch", "F99", "C-", "F0"} {
		if k, err := ParseKey(name); err == nil {
			t.Errorf("%q parses as %+v", name, k)
		}
	}
}

func TestParseKeysOfText(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string // empty: an error
	}{
		{[]string{"hello", "Enter"}, "hello\r"},
		{[]string{"Größe 7", "C-c"}, "Größe 7\x03"},
		{[]string{"NoSuch", "F99", "x-ray", "-v", "a+b", "c+d"}, "NoSuchF99x-ray-va+bc+d"},
		{[]string{"up", "up to"}, "\x1b[Aup to"},
		{[]string{"ok", "C-foo"}, ""},
		{[]string{"C-"}, "C-"},
		{[]string{"S-Nosuch"}, ""},
		{[]string{"Ctrl-C"}, ""},
		{[]string{"alt+x"}, ""},
		{[]string{""}, ""},
		{[]string{"\xff\xfe"}, ""},
	} {
		keys, err := ParseKeys(tt.words...)
		var got []byte
		for _, k := range keys {
			got = append(got, New(80, 24).EncodeKey(k)...)
		}
		if string(got) != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%q types %q, %v, want %q", tt.words, got, err, tt.want)
		}
	}
}

func TestMouse(t *testing.T) {
	tests := []struct {
		modes string
		event Mouse
		want  string
	}{
		{"", Mouse{Button: MouseLeft}, ""},
		{"\x1b[?1000h", Mouse{X: 2, Y: 3, Button: MouseLeft}, "\x1b[M #$"},
		{"\x1b[?1000h\x1b[?1006h", Mouse{X: 2, Y: 3, Button: MouseRight, Mods: Ctrl}, "\x1b[<18;3;4M"},
		{"\x1b[?1000h\x1b[?1006h", Mouse{Button: MouseLeft, Action: MouseUp}, "\x1b[<0;1;1m"},
		{"\x1b[?1000h\x1b[?1006h", Mouse{Button: MouseLeft, Action: MouseMove}, ""},
		{"\x1b[?1002h\x1b[?1006h", Mouse{Button: MouseLeft, Action: MouseMove}, "\x1b[<32;1;1M"},
		{"\x1b[?1002h\x1b[?1006h", Mouse{Action: MouseMove}, ""},
		{"\x1b[?1003h\x1b[?1006h", Mouse{Action: MouseMove}, "\x1b[<35;1;1M"},
		{"\x1b[?1000h\x1b[?1006h", Mouse{Button: WheelDown}, "\x1b[<65;1;1M"},
		{"\x1b[?1000h\x1b[?1006h", Mouse{Button: WheelDown, Action: MouseUp}, ""},
		{"\x1b[?1000h", Mouse{Button: MouseLeft, Action: MouseUp}, "\x1b[M#!!"},
		{"\x1b[?1000h", Mouse{X: 230}, ""},
		{"\x1b[?1000h\x1b[?1015h", Mouse{Button: MouseLeft}, "\x1b[32;1;1M"},
		{"\x1b[?1000h\x1b[?1016h", Mouse{X: 1, Y: 1, Button: MouseLeft}, "\x1b[<0;13;25M"},
		{"\x1b[?9h", Mouse{Button: MouseLeft, Mods: Shift}, "\x1b[M !!"},
		{"\x1b[?9h", Mouse{Button: MouseLeft, Action: MouseUp}, ""},
		{"\x1b[?1049h", Mouse{Button: WheelUp}, "\x1b[A\x1b[A\x1b[A"},
		{"\x1b[?1049h\x1b[?1h", Mouse{Button: WheelDown}, "\x1bOB\x1bOB\x1bOB"},
		{"\x1b[?1049h\x1b[?1007l", Mouse{Button: WheelUp}, ""},
	}
	for _, tt := range tests {
		term := New(240, 24)
		term.Write([]byte(tt.modes))
		if got := string(term.EncodeMouse(tt.event)); got != tt.want {
			t.Errorf("%+v in %q: got %q, want %q", tt.event, tt.modes, got, tt.want)
		}
	}
}

func TestPasteAndFocus(t *testing.T) {
	term := New(80, 24)
	if got, want := string(term.EncodePaste([]byte("a\r\nb\nc\x1b[201~\x03é"))), "a\rb\rc[201~é"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := term.EncodeFocus(true); got != nil {
		t.Errorf("focus was reported without a request: %q", got)
	}
	term.Write([]byte("\x1b[?2004h\x1b[?1004h"))
	if got, want := string(term.EncodePaste([]byte("x\x1b[201~y"))), "\x1b[200~x[201~y\x1b[201~"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(term.EncodeFocus(true)) + string(term.EncodeFocus(false)); got != "\x1b[I\x1b[O" {
		t.Errorf("got %q", got)
	}
}
