package vt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReflow(t *testing.T) {
	tests := []struct {
		name       string
		in         string
		cols, rows int
		want       string
		cursor     [2]int
	}{
		{"narrower", "0123456789", 5, 4, "01234\n56789", [2]int{4, 1}},
		{"wider joins", "0123456789abcde", 20, 4, "0123456789abcde", [2]int{15, 0}},
		{"wide characters", "漢字漢字漢x", 5, 4, "漢字\n漢字\n漢x", [2]int{3, 2}},
		{"wide characters back", "1漢字漢字漢字", 20, 4, "1漢字漢字漢字", [2]int{13, 0}},
		{"hard ends stay", "abc\r\ndef", 20, 4, "abc\ndef", [2]int{3, 1}},
		{"text below the cursor stays", "a\r\nb\r\nc\r\n\x1b[2;1H", 10, 2, "b\nc", [2]int{0, 0}},
		{"blank rows go first", "a\r\nb", 10, 2, "a\nb", [2]int{1, 1}},
		{"the top goes to the scrollback", "a\r\nb\r\nc\r\nd", 10, 2, "c\nd", [2]int{1, 1}},
		{"cursor within a line", "0123456789abc\x1b[1;3H", 4, 4, "0123\n4567\n89ab\nc", [2]int{2, 0}},
		{"background stays", "\x1b[41m\x1b[K", 5, 4, "", [2]int{0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			term := New(10, 4, WithScrollback(1<<16))
			term.Write([]byte(tt.in))
			term.Resize(tt.cols, tt.rows)
			if got := term.Text(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if c := term.Cursor(); c.X != tt.cursor[0] || c.Y != tt.cursor[1] {
				t.Errorf("cursor at %d,%d, want %v", c.X, c.Y, tt.cursor)
			}
		})
	}
}

// TestReflowKeepsText resizes a screen many times and back.
func TestReflowKeepsText(t *testing.T) {
	const text = "one\n0123456789abcdefghij\nthree 漢字漢字漢字 é\nfour\n\nfive"
	term := New(10, 4, WithScrollback(1<<16))
	term.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
	if got := Strip(term.MainANSI()); got != text {
		t.Fatalf("got %q, want %q", got, text)
	}
	before := term.ANSI()
	for _, size := range [][2]int{{7, 4}, {3, 2}, {40, 10}, {2, 1}, {5, 50}, {10, 4}} {
		term.Resize(size[0], size[1])
		if got := Strip(term.MainANSI()); got != text {
			t.Errorf("%v: got %q, want %q", size, got, text)
		}
	}
	if got := term.ANSI(); got != before {
		t.Errorf("got %q, want %q", got, before)
	}
	if c := term.Cursor(); c.X != 4 || c.Y != 3 {
		t.Errorf("cursor at %d,%d, want 4,3", c.X, c.Y)
	}
}

// TestClearedRowsDoNotContinue checks that a line ends where the row that it wrapped into was
// cleared.
func TestClearedRowsDoNotContinue(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"clear", "0123456789abc\r\n\n\n\x1b[H\x1b[2Jnew", "0123456789\nnew"},
		{"line", "0123456789abc\x1b[2;1H\x1b[Knew", "0123456789\nnew"},
		{"reset", "0123456789abc\r\n\n\n\x1bcnew", "0123456789\nnew"},
		{"insert", "0123456789abc\x1b[2;1H\x1b[Lnew", "0123456789\nnew\nabc"},
		{"scroll down", "0123456789abc\r\n\n\n\x1b[H\x1bMnew", "0123456789\nnew\nabc"},
	}
	for _, tt := range tests {
		term := New(10, 4, WithScrollback(1<<16))
		term.Write([]byte(tt.in))
		if got := Strip(term.MainANSI()); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAlternateScreenIsNotReflowed(t *testing.T) {
	term := New(10, 4, WithScrollback(1<<16))
	term.Write([]byte("0123456789abc\r\nprompt"))
	term.Write([]byte("\x1b[?1049h\x1b[H0123456789\x1b[4;10H"))
	term.Resize(5, 3)
	if got, want := term.Text(), ""; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Strip(term.MainANSI()), "0123456789abc\nprompt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	term.Write([]byte("\x1b[?1049l"))
	if got, want := term.Text(), "abc\npromp\nt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScrollbackRows(t *testing.T) {
	term := New(10, 3, WithScrollback(1<<20))
	var want []string
	for i := range 3000 {
		line := fmt.Sprintf("line %d", i)
		fmt.Fprintf(term, "%s\r\n", line)
		want = append(want, line)
	}
	if n := term.ScrollbackLen(); n != 2998 {
		t.Fatalf("%d rows, want 2998", n)
	}
	var got []string
	for i := range term.ScrollbackLen() {
		cells, wrapped := term.ScrollbackRow(i, nil)
		if wrapped {
			t.Errorf("row %d wraps", i)
		}
		got = append(got, string(term.cellsText(cells)))
	}
	if d := cmp.Diff(want[:2998], got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	var rows int
	for cells, wrapped := range term.ScrollbackRows(5) {
		one, w := term.ScrollbackRow(5+rows, nil)
		if string(term.cellsText(one)) != string(term.cellsText(cells)) || w != wrapped {
			t.Fatalf("row %d differs in the sequence", 5+rows)
		}
		rows++
		if rows == 500 {
			break
		}
	}
	term.Write([]byte("\x1b[3J"))
	if n := term.ScrollbackLen(); n != 0 {
		t.Errorf("%d rows remain", n)
	}
}

func TestResizeKeepsCellsWhole(t *testing.T) {
	for seed := range uint64(60) {
		term := New(20, 8, WithScrollback(1<<16))
		in := stream(seed, 1200)
		for i, size := range [][2]int{{1, 3}, {7, 8}, {2, 1}, {33, 12}, {1, 1}, {20, 8}} {
			term.Write(in[i*200 : (i+1)*200])
			term.Resize(size[0], size[1])
			if s := broken(term); s != "" {
				t.Fatalf("seed %d, %v: %s", seed, size, s)
			}
			cols, rows := term.Size()
			if c := term.Cursor(); c.X >= cols || c.Y >= rows || c.X < 0 || c.Y < 0 {
				t.Fatalf("seed %d, %v: cursor at %d,%d", seed, size, c.X, c.Y)
			}
			b := New(cols, rows, WithScrollback(1<<16))
			b.Write(term.Snapshot(1 << 16))
			if d := cmp.Diff(term.ANSI(), b.ANSI()); d != "" {
				t.Fatalf("seed %d, %v: the snapshot differs\n%s", seed, size, d)
			}
		}
	}
}

func (t *Terminal) cellsText(cells []Cell) []byte {
	var b []byte
	for _, c := range cells {
		b = t.appendText(b, c)
	}
	return b
}
