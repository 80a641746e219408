package holder

import "testing"

func TestPieceOf(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"abc", 3},
		{"ab\n", 3},
		{"ab\r", 2},
		{"ab\r\n", 4},
		{"aö", 3},
		{"aö\xc3", 3},
		{"a\xf0\x9f\x99", 1},
		{"a🙂", 5},
		{"\r", 1},
		{"\xc3", 1},
	} {
		if got := pieceOf([]byte(tt.text)); got != tt.want {
			t.Errorf("of %q: %d, want %d", tt.text, got, tt.want)
		}
	}
	// Binary data may be split anywhere, but the first part must not be empty.
	if got := pieceOf([]byte("\x80\x80\x80\x80\x80\x80\x80")); got < 1 || got > 7 {
		t.Errorf("of binary data: %d", got)
	}
}
