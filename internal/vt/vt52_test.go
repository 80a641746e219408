package vt

import "testing"

func TestVT52(t *testing.T) {
	tests := []struct{ name, in, want, reply string }{
		{"position", "\x1b[?2l\x1bY\"#x", "\n\n   x", ""},
		{"movement", "\x1b[?2l\x1bB\x1bB\x1bA\x1bC\x1bC\x1bDx", "\n x", ""},
		{"erase", "abc\r\ndef\x1b[?2l\x1bHx\x1bK\x1bB\x1bJ", "x\nd", ""},
		{"reverse line feed", "abc\x1b[?2l\x1bI", "\nabc", ""},
		{"graphics", "\x1b[?2l\x1bFq\x1bGq", "─q", ""},
		{"no control sequences", "\x1b[?2l\x1b[31m", "31m", ""},
		{"identity", "\x1b[?2l\x1bZ", "", "\x1b/Z"},
		{"back again", "\x1b[?2l\x1b<\x1b[2;2Hx\x1b[?2$p", "\n x", "\x1b[?2;1$y"},
		{"reset", "\x1b[?2l\x1bc\x1b[2;2Hx", "\n x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reply := ""
			term := New(10, 4, WithReply(func(b []byte) { reply += string(b) }))
			term.Write([]byte(tt.in))
			if got := term.Text(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if reply != tt.reply {
				t.Errorf("answered %q, want %q", reply, tt.reply)
			}
		})
	}
}

func TestLineSize(t *testing.T) {
	sizes := func(term *Terminal) (list [4]lineSize) {
		for y := range list {
			list[y] = term.scr.rows[y].size
		}
		return list
	}
	const marked = "\x1b#6a\r\n\x1b#3b\r\n\x1b#4b\r\nc"
	tests := []struct {
		name, in string
		want     [4]lineSize
	}{
		{"set", marked, [4]lineSize{doubleWidth, doubleHeightTop, doubleHeightBottom}},
		{"reset", marked + "\x1b[H\x1b#5", [4]lineSize{0, doubleHeightTop, doubleHeightBottom}},
		{"scrolled", marked + "\r\n", [4]lineSize{doubleHeightTop, doubleHeightBottom}},
		{"inserted", marked + "\x1b[2H\x1b[L", [4]lineSize{doubleWidth, 0, doubleHeightTop, doubleHeightBottom}},
		{"erased", marked + "\x1b[2H\x1b[J", [4]lineSize{doubleWidth}},
		{"a line erased", marked + "\x1b[2H\x1b[2K", [4]lineSize{doubleWidth, doubleHeightTop, doubleHeightBottom}},
		{"another screen", marked + "\x1b[?1049h", [4]lineSize{}},
		{"alignment", marked + "\x1b#8", [4]lineSize{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			term := New(10, 4)
			term.Write([]byte(tt.in))
			if got := sizes(term); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			term.Resize(12, 4)
			if got := sizes(term); got != tt.want {
				t.Errorf("after a resize: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNationalSets(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"British always", "\x1b(A#|", "£|"},
		{"German", "\x1b[?42h\x1b(K[{|}~]a", "ÄäöüßÜa"},
		{"German not asked for", "\x1b(K[{|}~]", "[{|}~]"},
		{"an older name", "\x1b[?42h\x1b(5[", "Ä"},
		{"technical", "\x1b(>a~\x1b(B~", "α↓~"},
		{"unknown", "\x1b[?42h\x1b(i#", "#"},
	}
	for _, tt := range tests {
		term := New(10, 2)
		term.Write([]byte(tt.in))
		if got := term.Text(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCopiedAreasSplitWideCharacters(t *testing.T) {
	const text = "漢字あい"
	for _, tt := range []struct{ name, in, want string }{
		{"source untouched", "\x1b[1;2;1;4;1;2;1$v", "漢字あい\n 字"},
		{"half at the end", "\x1b[1;1;1;3;1;2;1$v", "漢字あい\n漢"},
		{"over itself", "\x1b[1;1;1;4;1;1;2$v", " 漢字 い"},
	} {
		term := New(10, 3)
		term.Write([]byte(text + tt.in))
		if got := term.Text(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if s := broken(term); s != "" {
			t.Errorf("%s: %s", tt.name, s)
		}
	}
}
