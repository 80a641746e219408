package vt

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sequences are all control characters and sequences that a Terminal interprets, with parameters that
// are large, and combinations of which each undoes what the other did.
var sequences = []string{
	"\a", "\b", "\t", "\n", "\v", "\r", "\x0e\x0f", "é", "漢", "e\u0301", "👍🏽", "\x1b6", "\x1b7", "\x1b8", "\x1b9",
	"\x1b=", "\x1bD", "\x1bE", "\x1bH", "\x1bM", "\x1bN", "\x1bV", "\x1bZ", "\x1bc", "\x1bn", "\x1b(0", "\x1b(B",
	"\x1b#8", "\x1b#3", "\x1b[m", "\x1b[1;31m", "\x1b[38;2;1;2;3m", "\x1b[H", "\x1b[99;999H", "\x1b[A", "\x1b[B",
	"\x1b[C", "\x1b[D", "\x1b[9999D", "\x1b[99I", "\x1b[99Z", "\x1b[E", "\x1b[G", "\x1b[d", "\x1b[r", "\x1b[2;9r",
	"\x1b[s", "\x1b[u", "\x1b[g", "\x1b[3g", "\x1b[4h", "\x1b[4l", "\x1b[c", "\x1b[5n", "\x1b[6n", "\x1b[14t",
	"\x1b[18t", "\x1b[x", "\x1b[22t", "\x1b[23t", "\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[3J", "\x1b[K", "\x1b[1K",
	"\x1b[2K", "\x1b[X", "\x1b[999X", "\x1b[@", "\x1b[99@", "\x1b[P", "\x1b[99P", "\x1b[L", "\x1b[99L", "\x1b[M",
	"\x1b[99M", "\x1b[S", "\x1b[99S", "\x1b[T", "\x1b[99T", "x\x1b[9b", "x\x1b[99b", "x\x1b[99999b", "\x1b[ @",
	"\x1b[99 @", "\x1b[ A", "\x1b[ q", "\x1b[!p", "\x1b[64\"p", "\x1b[1\"q", "\x1b['}", "\x1b[99'}", "\x1b['~",
	"\x1b[1$p", "\x1b[?1$p", "\x1b[88$x", "\x1b[88;1;1;99;999$x", "\x1b[$z", "\x1b[1;1;99;999$z", "\x1b[${",
	"\x1b[$v", "\x1b[1;1;99;999;1;2;2;1$v", "\x1b[1;1;9;9;7$r", "\x1b[;;;;7$r", "\x1b[;;;;7$t", "\x1b[1*y",
	"\x1b[1;1;1;1;99;999*y", "\x1b[2*x", "\x1b[#y", "\x1b[#{", "\x1b[#}", "\x1b[#P", "\x1b[#Q", "\x1b[#R",
	"\x1b[#|", "\x1b[1;1;99;999#|", "\x1b[?J", "\x1b[?2J", "\x1b[?K", "\x1b[?5W", "\x1b[?6n", "\x1b[?15n",
	"\x1b[?996n", "\x1b[?u", "\x1b[=1u", "\x1b[>1u", "\x1b[<u", "\x1b[>c", "\x1b[=c", "\x1b[>q", "\x1b[>4m",
	"\x1b[?4m", "\x1b[>4;1m", "\x1b[?3h", "\x1b[?3l", "\x1b[?5h\x1b[?5l", "\x1b[?6h", "\x1b[?47h\x1b[?47l",
	"\x1b[?1047h\x1b[?1047l", "\x1b[?1048h", "\x1b[?1048l", "\x1b[?1049h\x1b[?1049l", "\x1b[?1049h",
	"\x1b[?1049l", "\x1b[?2048h", "\x1b[?2048l", "\x1b[?2031h", "\x1b[?2026h", "\x1b[?2027h", "\x1b[?69h",
	"\x1b[?69l", "\x1b[?7l", "\x1b[?25l", "\x1b[?1000h", "\x1b[?1006h", "\x1b[?2004h", "\x1b[?1s", "\x1b[?1r",
	"\x1b[?2l", "\x1b[?2l\x1bZ\x1b<", "\x1b[?69h\x1b[2;9s\n", "\x1b[?45h\b", "\x1b[?1045h\b",
	"\x1b[?1045h\x1b[9999D", "\x1b[4hx", "\x1b[3;3;3;3;3;3;3h", "\x1b[?1049;1049;1049;1049h",
	"\x1b[?3;3;3;3;3;3;3;3h", "\x1b[?2048;2048;2048;2048h", "\x1b[?47;47;47h", "\x1b[?1047;1047l",
	"\x1b[?1049h\x1b[2J", "\x1b]0;t\a", "\x1b]2;a\x1b\\", "\x1b]4;1;?\a", "\x1b]4;1;red\a", "\x1b]10;?\a",
	"\x1b]104\a", "\x1b]7;f\a", "\x1b]8;;http://a\a", "\x1b]8;;\a", "\x1b]9;a\a", "\x1b]9;4;1;3\a",
	"\x1b]52;c;YQ==\a", "\x1b]777;notify;a;b\a", "\x1bP$qm\x1b\\", "\x1bP+q544e\x1b\\", "\x1bPq\x1b\\",
	"\x1b_a\x1b\\", "\x1b^a\x1b\\", "\x1bXa\x1b\\", "\x1bkt\x1b\\", "\xff", "\xc2\x9b",
	"\x1b[4hx\r", "\x1b[4hx\b\b", "\x1bH\x1bc", "\x1bH\x1b[?5W", "\x1b#8\x1b[2J", "\n\x1b[2J", "\x1b[2Ké", "\x1b[2K\x1b[999Cx",
	"\x1b[41m\x1b[2J\x1b[42m\x1b[2J", "\x1b[99H\x1b[1J", "\x1b#8\x1bc", "\x1b#8\x1b[99S", "\x1b[41m\x1b[2J\x1b[99S",
	"a\u0483", "e" + strings.Repeat("\u0301", 31), "\x1b]11;?\a", "\r\t", "\r\x1b[9999I", "\x1b[?69h\x1b[2;99s\x1b[99;9H\n",
}

// floodSizes are the sizes of the screens that are flooded.
var floodSizes = [][2]int{{80, 24}, {300, 100}}

// flooded returns a terminal full of text, and a sequence repeated to about 4 KiB.
func flooded(size [2]int, sequence string) (*Terminal, []byte) {
	t := New(size[0], size[1], WithReply(func([]byte) {}), WithScrollback(blockSize))
	t.Write([]byte(strings.Repeat(strings.Repeat("x", size[0]-1)+"\r\n", size[1]) + "\x1b[12;30H"))
	return t, []byte(strings.Repeat(sequence, max(1, 4096/len(sequence))))
}

// No sequence makes the terminal allocate much more than it is long, once its rows are stored.
func TestFloodsAllocateLittle(t *testing.T) {
	const most = 64 // for each byte
	for _, size := range floodSizes {
		for _, s := range sequences {
			term, flood := flooded(size, s)
			term.credit = 0 // what was paid for before is used up
			term.Write(flood)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 4 {
				term.Write(flood)
			}
			runtime.ReadMemStats(&after)
			if n := (after.TotalAlloc - before.TotalAlloc) / uint64(4*len(flood)); n > most {
				t.Errorf("%q at %v allocates %d bytes for each of its own, want at most %d", s, size, n, most)
			}
		}
	}
}

// touched counts the cells that were written since it was called before, and marks all: each gets a mark
// by its column, which a new cell lacks and a moved one brings along. Whole rows may move.
func touched(t *Terminal) (n int) {
	const own = widthMask | protectedBit | attrMask | underlineMask
	for i := range t.screens {
		for _, r := range t.screens[i].rows {
			for x := range r.stored[:r.used] {
				c := &r.stored[x]
				if mark := uint16(x%3+1) << 14; c.attr&^own != mark {
					c.attr = c.attr&own | mark
					n++
				}
			}
		}
	}
	return n
}

// No sequence writes many more cells than it has bytes, once nothing pays for it in advance.
func TestFloodsWriteFewCells(t *testing.T) {
	const most = 75 // for each byte; a cell that is written again costs a fraction of new text
	for _, s := range sequences {
		term, _ := flooded([2]int{300, 100}, s)
		term.credit = 0
		cells, bytes := 0, 0
		touched(term)
		for range 30 {
			n, _ := term.Write([]byte(s))
			cells += touched(term)
			bytes += n
		}
		if n := cells / bytes; n > most {
			t.Errorf("%q writes %d cells for each of its bytes, want at most %d", s, n, most)
		}
	}
}

// Programs erase and reset the screen again and again. Rows that are erased are not erased again.
func TestErasedRowsCostNothing(t *testing.T) {
	for _, s := range []string{"\x1bc", "\x1b[2J", "\x1b[H\x1b[J", "\x1b[99H\x1b[1J", "\x1b[?3h", "\x1b#8", "\x1b[99S", "\x1b[?1049h"} {
		term, _ := flooded([2]int{80, 24}, s)
		term.Write([]byte(s))
		if d := term.scr.dirty; d.to-d.from > 1 {
			t.Errorf("after %q, rows %d to %d would be erased again", s, d.from, d.to-1)
		}
	}
}

// An operation whose cost is that of its area is paid for by the bytes of the output.
func TestAreasArePaidFor(t *testing.T) {
	for name, c := range map[string]struct {
		operation string
		cells     int
	}{
		"fill":       {"\x1b[65;1;1;20;50$x", 1000},
		"erase":      {"\x1b[1;1;20;50$z", 1000},
		"attributes": {"\x1b[1;1;20;50;7$r", 20 * 80 * changedPrice},
		"reverse":    {"\x1b[1;1;20;50;7$t", 20 * 80 * changedPrice},
		"copy":       {"\x1b[13;1;24;80;1;1;1$v", 12 * 80},
		"repeat":     {"\x1b[H-\x1b[999b", 999},
		"columns":    {"\x1b[?69h\x1b[2;60s\x1b[4;4H\x1b[5'}", 24 * 80},
	} {
		t.Run(name, func(t *testing.T) {
			term, _ := flooded([2]int{80, 24}, "x")
			text := term.ANSI()
			term.credit = 0
			term.Write([]byte(c.operation))
			if got := term.ANSI(); strings.Count(got, "x") < 23*79-1 {
				t.Error("it is carried out, though nothing pays for it")
			}
			for bytes := 0; bytes*cellsPerByte < c.cells; {
				n, _ := term.Write([]byte("\x1b[1m\x1b[m"))
				bytes += n
			}
			term.Write([]byte(c.operation))
			if term.ANSI() == text {
				t.Error("it is not carried out, though the output pays for it")
			}
		})
	}
}

// Rows are scrolled, erased and kept at a price, too, where few bytes would do that to all of them.
func TestRowsArePaidFor(t *testing.T) {
	for name, c := range map[string]struct {
		before, operation string
		price             int
	}{
		"scrolled between margins":      {"\x1b[?69h\x1b[2;299s\x1b[999;9H", "\n", 1000 * 298 / scrolledPerCell},
		"deleted between margins":       {"\x1b[?69h\x1b[2;299s\x1b[1;9H", "\x1b[M", 1000 * 298 / scrolledPerCell},
		"erased in another color":       {"\x1b[41m", "\x1b[2J", 1000 / rowsPerCell},
		"filled to align the screen":    {"", "\x1b#8", 1000},
		"kept, filled in another color": {"\x1b[41m\x1b[2J", "\x1b[999S", 999 * (keptRowPrice + 300/keptPerCell)},
	} {
		t.Run(name, func(t *testing.T) {
			term, _ := flooded([2]int{300, 1000}, "x")
			term.Write([]byte(c.before))
			was, kept := term.ANSI(), term.ScrollbackLen()
			changed := func() bool { return term.ANSI() != was || term.ScrollbackLen() != kept }
			term.credit = 0
			term.Write([]byte(c.operation))
			if changed() {
				t.Error("it is carried out, though nothing pays for it")
			}
			term.credit = c.price
			term.Write([]byte(c.operation))
			if !changed() {
				t.Error("it is not carried out, though the output pays for it")
			}
		})
	}
}

// BenchmarkSequences compares the cost of each byte of a flood with that of a byte of text.
func BenchmarkSequences(b *testing.B) {
	for _, size := range floodSizes {
		var text float64
		for i, s := range append([]string{"The quick brown fox jumps over the lazy dog.\r\n"}, sequences...) {
			b.Run(fmt.Sprintf("%dx%d/%q", size[0], size[1], s), func(b *testing.B) {
				term, flood := flooded(size, s)
				term.credit = 0 // once this is used up
				began, bytes := time.Now(), 0
				for b.Loop() {
					term.Write(flood)
					bytes += len(flood)
				}
				cost := float64(time.Since(began).Nanoseconds()) / float64(bytes)
				if i == 0 {
					text = cost
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(cost, "ns/byte")
				b.ReportMetric(cost/text, "times-text")
			})
		}
	}
}
