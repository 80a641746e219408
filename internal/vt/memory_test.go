package vt

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/vt/sample"
)

// heapAfter returns the growth of the heap by f.
func heapAfter(f func() *Terminal) (int64, *Terminal) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	t := f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc), t
}

func TestMemory(t *testing.T) {
	lines := func() []byte {
		var b bytes.Buffer
		for i := range 100_000 {
			fmt.Fprintf(&b, "%6d the quick \x1b[1;32mbrown fox\x1b[m jumps over the lazy dog and back %d\r\n", i, i)
		}
		return b.Bytes()
	}()
	tests := []struct {
		name  string
		limit int64
		make  func() *Terminal
	}{
		{"100,000 lines", 12 << 20, func() *Terminal {
			term := New(80, 24, WithScrollback(64<<20))
			term.Write(lines)
			if n := term.ScrollbackLen(); n < 99_900 {
				t.Errorf("only %d lines are stored", n)
			}
			return term
		}},
		{"bounded scrollback", 1<<20 + 200<<10, func() *Terminal {
			term := New(80, 24, WithScrollback(1<<20))
			term.Write(lines)
			term.Write(lines)
			return term
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, term := heapAfter(tt.make)
			if n > tt.limit {
				t.Errorf("%d bytes, want at most %d", n, tt.limit)
			}
			t.Logf("%d bytes", n)
			runtime.KeepAlive(term)
		})
	}
}

func TestNewTerminalIsSmall(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	term := New(80, 24, WithScrollback(64<<20))
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<10 {
		t.Errorf("%d bytes, want at most %d", n, 64<<10)
	}
	runtime.KeepAlive(term)
}

func TestNoAllocationInSteadyState(t *testing.T) {
	for _, kind := range sample.Kinds() {
		stream := sample.Stream(kind, 80, 24)[:64<<10]
		term := New(80, 24, WithScrollback(256<<10))
		for range 20 {
			term.Write(stream)
		}
		if n := testing.AllocsPerRun(20, func() { term.Write(stream) }); n > 1 {
			t.Errorf("%s: %v allocations for 64 KiB", kind, n)
		}
	}
}

// TestHostileStreams checks that memory is bounded for any input.
func TestHostileStreams(t *testing.T) {
	repeat := func(s string, bytes int) []byte { return []byte(strings.Repeat(s, bytes/len(s)+1)) }
	var many bytes.Buffer
	for i := range 80_000 {
		fmt.Fprintf(&many, "\x1b]8;id=%d;http://example.org/%d\x1b\\\x1b[58:2::%d:%d:3mx", i, i, i%256, i/256%256)
	}
	var clusters bytes.Buffer
	for i := range 80_000 {
		fmt.Fprintf(&clusters, "%ce%c%c", 'a'+i%26, 0x300+i%0x70, 0x300+i/0x70%0x70)
	}
	tests := []struct {
		name string
		in   []byte
	}{
		{"endless OSC", append([]byte("\x1b]0;"), repeat("x", 3<<20)...)},
		{"endless DCS", append([]byte("\x1bP$q"), repeat("x", 3<<20)...)},
		{"endless parameters", append([]byte("\x1b["), repeat("1;", 2<<20)...)},
		{"endless combining marks", repeat("\u0301", 2<<20)},
		{"marks in graphemes mode", append([]byte("\x1b[?2027ha"), repeat("\u0301", 2<<20)...)},
		{"repeat", repeat("x\x1b[2147483648b", 1<<15)},
		{"scroll", repeat("\x1b[2147483648S\x1b[99999T\x1b[99999L", 1<<18)},
		{"links", many.Bytes()},
		{"clusters", clusters.Bytes()},
		{"titles", repeat("\x1b]2;"+strings.Repeat("t", 900)+"\x1b\\\x1b[22t", 2<<20)},
		{"kitty", repeat("\x1b[>31u", 1<<20)},
		{"styles pushed", repeat("\x1b[#{", 1<<20)},
		{"colors", repeat("\x1b]4;1;#123456;2;#123456\x1b\\", 1<<20)},
		{"huge parameters", repeat("\x1b[1000000000;1000000000H\x1b[1000000000@\x1b[1000000000P\x1b[1000000000I\x1b[1000000000X", 1<<18)},
		{"areas", repeat("\x1b[120;1;1;1000000000;1000000000$x\x1b[1;1;1000000000;1000000000;1;2;2$v", 1<<15)},
		{"VT52", append([]byte("\x1b[?2l"), repeat("\x1bY~~\x1bI\x1bJx", 1<<18)...)},
		{"one endless line", repeat("x", 3<<20)},
		{"queries", repeat("\x1b[c\x1b[6n\x1b]11;?\x07\x1bP+q544e\x1b\\", 1<<20)},
		{"screens", repeat("\x1b[?1049h\x1b[?1049l", 1<<17)},
		{"resets", repeat("\x1bc", 1<<14)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, term := heapAfter(func() *Terminal {
				term := New(80, 24, WithScrollback(1<<20), WithReply(func([]byte) {}))
				term.Write(tt.in)
				return term
			})
			if limit := int64(4 << 20); n > limit {
				t.Errorf("%d bytes, want at most %d", n, limit)
			}
			runtime.KeepAlive(term)
		})
	}
	t.Run("resize storm", func(t *testing.T) {
		n, term := heapAfter(func() *Terminal {
			term := New(80, 24, WithScrollback(1<<20))
			term.Write(sample.Stream("unicode", 80, 24))
			for i := range 100 {
				term.Resize(1+i*37%300, 1+i*53%100)
			}
			return term
		})
		if limit := int64(4 << 20); n > limit {
			t.Errorf("%d bytes, want at most %d", n, limit)
		}
		runtime.KeepAlive(term)
	})
}
