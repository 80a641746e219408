package vt

import (
	"strings"
	"testing"
)

func TestScreen(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"text", "hello\r\nworld", "hello\nworld"},
		{"wrap", "0123456789abc", "0123456789\nabc"},
		{"erase", "hello\x1b[3D\x1b[K", "he"},
		{"home", "hello\x1b[HJ", "Jello"},
		{"unicode", "é漢字x", "é漢字x"},
		{"wide at the edge", "123456789漢", "123456789\n漢"},
		{"combining", "e\u0301x", "e\u0301x"},
		{"repeat", "a\x1b[3b", "aaaa"},
		{"back over a wrap", "\x1b[?45h0123456789a\b\bX", "012345678X\na"},
		{"not over a line's begin", "\x1b[?45h012\r\na\b\bX", "012\nX"},
		{"extended, over a line's begin", "\x1b[?1045h012\r\na\b\bX", "012      X\na"},
		{"erase at the edge without wrapping", "\x1b[?7l0123456789\x1b[K", "012345678"},
		{"wrapping only from now on", "\x1b[?7l0123456789\x1b[?7hX", "012345678X"},
		{"combining at the edge without wrapping", "\x1b[?7l012345678ee\u0301", "012345678e\u0301"},
		{"scroll", "1\r\n2\r\n3\r\n4\r\n5", "2\n3\n4\n5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			term := New(10, 4)
			term.Write([]byte(tt.in))
			if got := term.Text(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestBackgroundOfNewRows checks the background of a row that scrolls in: only a line feed sets
// it. Wrapped text and the alternate screen do not.
func TestBackgroundOfNewRows(t *testing.T) {
	for in, want := range map[string]Color{
		"\x1b[2H\x1b[41m0123456789ab": 0,
		"\x1b[2H\x1b[41m01234\nab":    Indexed(1),
	} {
		term := New(10, 2)
		term.Write([]byte(in))
		if got := term.Style(term.Row(1)[9]).Bg; got != want {
			t.Errorf("%q: background %v, want %v", in, got, want)
		}
	}
}

// TestGraphemes checks cells and cursor after a text, with and without mode 2027.
func TestGraphemes(t *testing.T) {
	tests := []struct {
		text              string
		plain, byCluster  int
		cells, cellsByCls string
	}{
		{"abc", 3, 3, "a|b|c", "a|b|c"},
		{"漢字", 4, 4, "漢|字", "漢|字"},
		{"e\u0301x", 2, 2, "e\u0301|x", "e\u0301|x"},
		{"❤\ufe0fx", 3, 3, "❤\ufe0f|x", "❤\ufe0f|x"},
		{"1\ufe0f\u20e3x", 3, 3, "1\ufe0f\u20e3|x", "1\ufe0f\u20e3|x"},
		{"😀\ufe0fx", 3, 3, "😀\ufe0f|x", "😀\ufe0f|x"},
		{"👩\u200d💻x", 3, 3, "👩\u200d💻|x", "👩\u200d💻|x"},
		{"👍🏽x", 3, 3, "👍🏽|x", "👍🏽|x"},
		{"🇩🇪x", 3, 3, "🇩🇪|x", "🇩🇪|x"},
		{"🇩🇪🇫🇷", 4, 4, "🇩🇪|🇫🇷", "🇩🇪|🇫🇷"},
		{"\u1112\u1161\u11abx", 3, 3, "\u1112\u1161\u11ab|x", "\u1112\u1161\u11ab|x"},
		{"a\u00adx", 3, 3, "a|-|x", "a|-|x"},
		{"각x", 3, 3, "각|x", "각|x"},
		{"क\u094dषx", 3, 2, "क\u094d|ष|x", "क\u094dष|x"},
	}
	for _, tt := range tests {
		for _, on := range []bool{false, true} {
			term := New(20, 2)
			if on {
				term.Write([]byte("\x1b[?2027h"))
			}
			term.Write([]byte(tt.text))
			wantX, wantCells := tt.plain, tt.cells
			if on {
				wantX, wantCells = tt.byCluster, tt.cellsByCls
			}
			var cells []string
			for _, c := range term.Row(0) {
				if s := term.CellText(c); s != "" && !c.IsBlank() {
					cells = append(cells, s)
				}
			}
			if got := strings.Join(cells, "|"); got != wantCells {
				t.Errorf("%q, by cluster %v: cells %q, want %q", tt.text, on, got, wantCells)
			}
			if x := term.Cursor().X; x != wantX {
				t.Errorf("%q, by cluster %v: cursor at %d, want %d", tt.text, on, x, wantX)
			}
		}
	}
}

func TestLinksAndStyles(t *testing.T) {
	term := New(20, 2)
	term.Write([]byte("\x1b]8;id=1;http://example.org/\x1b\\\x1b[1;3;4:3;31;48;5;200;58:2::1:2:3mx\x1b]8;;\x1b\\\x1b[0my"))
	x, y := term.Row(0)[0], term.Row(0)[1]
	if got, want := term.Link(x), "http://example.org/"; got != want {
		t.Errorf("link %q, want %q", got, want)
	}
	want := Style{Fg: Indexed(1), Bg: Indexed(200), UnderlineColor: RGB(1, 2, 3), Attrs: Bold | Italic, Underline: UnderlineCurly}
	if got := term.Style(x); got != want {
		t.Errorf("style %+v, want %+v", got, want)
	}
	if term.Link(y) != "" || term.Style(y) != (Style{}) {
		t.Errorf("style and link continue: %+v %q", term.Style(y), term.Link(y))
	}
	const ansi = "\x1b]8;id=1;http://example.org/\x1b\\\x1b[1;3;4:3;31;48;5;200;58:2::1:2:3mx\x1b]8;;\x1b\\\x1b[my"
	if got := term.ANSI(); got != ansi {
		t.Errorf("got %q, want %q", got, ansi)
	}
}

func TestMainTextOnAlternateScreen(t *testing.T) {
	term := New(10, 3, WithScrollback(1<<16))
	term.Write([]byte("1\r\n2\r\n\x1b[31m3\x1b[m\r\n4\r\n$ vim\x1b[?1049hvim"))
	if got, want := term.Text(), "\n\n     vim"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Strip(term.MainANSI()), "1\n2\n3\n4\n$ vim"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := term.MainANSI(), "1\n2\n\x1b[31m3\x1b[m\n4\n$ vim"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTinyScreens(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {1, 5}, {2, 1}, {-3, 100000}} {
		term := New(size[0], size[1], WithScrollback(1<<12))
		term.Write(stream(1, 3000))
		term.Resize(3, 3)
		term.Resize(size[0], size[1])
		term.Write(stream(2, 3000))
		if s := broken(term); s != "" {
			t.Errorf("%v: %s", size, s)
		}
		_ = term.Snapshot(10)
	}
}
