package vt

import "testing"

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

func TestReflow(t *testing.T) {
	const text = "one\n0123456789abcdefghij\nthree\nfour\nfive"
	term := New(10, 4, WithScrollback(1<<16))
	term.Write([]byte("one\r\n0123456789abcdefghij\r\nthree\r\nfour\r\nfive"))
	if got := term.MainText(); got != text {
		t.Fatalf("got %q, want %q", got, text)
	}
	for _, size := range [][2]int{{7, 4}, {3, 2}, {40, 10}, {1, 1}, {10, 4}} {
		term.Resize(size[0], size[1])
		if got := term.MainText(); got != text {
			t.Errorf("%v: got %q, want %q", size, got, text)
		}
	}
	if got, want := term.Text(), "abcdefghij\nthree\nfour\nfive"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if c := term.Cursor(); c.X != 4 || c.Y != 3 {
		t.Errorf("cursor at %d,%d, want 4,3", c.X, c.Y)
	}
}
