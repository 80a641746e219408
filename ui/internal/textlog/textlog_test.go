package textlog

import (
	"testing"
)

func TestLog(t *testing.T) {
	l := New("one\r\n\x1b[31mtwo\x1b[m\nthree\n\n")
	all, err := l.Window(t.Context(), 1<<20, 10, 1)
	if err != nil || len(all) != 3 || all[1].Text != "two" || string(all[1].Raw) != "\x1b[31mtwo\x1b[m" {
		t.Errorf("%+v %v", all, err)
	}
	at, err := l.Window(t.Context(), all[1].Start, 1, 1)
	if err != nil || len(at) != 2 || at[0].Text != "one" || at[1].Text != "two" {
		t.Errorf("around the second line: %+v %v", at, err)
	}
}
