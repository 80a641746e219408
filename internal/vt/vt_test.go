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
