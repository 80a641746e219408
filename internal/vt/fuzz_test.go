package vt

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stream returns random output that uses all features.
func stream(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	num := func() string {
		return pick("", "0", "1", "2", "3", "5", "7", "10", "19", "20", "24", "99", "99999999999999999999")
	}
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(14) {
		case 0, 1, 2:
			b.WriteString(pick("hello ", "a", "0123456789012345678901234567890", "漢字", "é", "e\u0301", "🙂", "👩\u200d", "💻", "🏽", "\u200d", "🇩🇪", "❤\ufe0f", "한글", "\u0301", "한", "ั", "🇩", "\u1161", "\u00ad"))
		case 3:
			b.WriteString(pick("\r\n", "\n", "\r", "\b", "\t", "\x0e", "\x0f", "\a", "\v", "\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bM", "\x1bH", "\x1b=", "\x1b>", "\x1bV", "\x1bW", "\x1bN", "\x1bO", "\x1bn", "\x1b6", "\x1b9", "\x1b(0", "\x1b)0", "\x1b(B", "\x1b#8", "\x1b(K", "\x1b*>", "\x1b#3", "\x1b#4", "\x1b#6", "\x1b#5", "\x1b[?2l", "\x1b<", "\x1b<", "\x1bY#%", "\x1bF", "\x1bY"))
		case 4, 5, 6, 7:
			b.WriteString("\x1b[" + num() + pick("", ";"+num(), ";"+num()+";"+num()) + string("ABCDEFGHIJKLMPSTXZ@`abcdefgmrstu"[r.IntN(31)]))
		case 8:
			b.WriteString("\x1b[?" + pick("1", "3", "4", "5", "6", "7", "12", "25", "18", "42", "45", "66", "69", "1000", "1003", "1004", "1006", "1047", "1048", "1049", "47", "2004", "2026", "2027", "2031") + pick("h", "l", "h", "l", "s", "r"))
		case 9:
			b.WriteString("\x1b[" + pick("1;31", "4:3", "38;5;200", "48;2;1;2;3", "58:5:3", "0", "7", "53;9", "22;24", "3;4;5") + "m")
		case 10:
			b.WriteString(pick("\x1b]0;title\a", "\x1b]2;other\x1b\\", "\x1b]8;id=1;http://x\x1b\\", "\x1b]8;;\a", "\x1b]4;3;#102030\a", "\x1b]104\a", "\x1b]11;#123456\a", "\x1bP$qm\x1b\\", "\x1b_ignored\x1b\\", "\x1b[22;0t", "\x1b[23;0t", "\x1b[!p"))
		case 11:
			b.WriteString("\x1b[" + num() + ";" + num() + ";" + num() + ";" + num() + pick("$z", "${", "$r", ";1;4;7$t", "$x", ";;3;4$v", "*x", "'}", "'~", " @", " A", " q", "\"q", "#{", "#}", "*y"))
		case 12:
			b.WriteString(pick("\x1b[>1u", "\x1b[<u", "\x1b[=5;1u", "\x1b[>4;2m", "\x1b[4h", "\x1b[4l", "\x1b[20h", "\x1b[20l", "\x1b[?J", "\x1b[?1K", "\x1b[5;10r", "\x1b[5;15s"))
		case 13:
			b.WriteByte(byte(r.Uint32()))
		}
	}
	return []byte(b.String())[:n]
}

func TestWritesMayBeSplitAnywhere(t *testing.T) {
	for seed := range uint64(60) {
		in := stream(seed, 3000)
		whole := New(20, 8, WithScrollback(1<<16))
		whole.Write(in)
		r := rand.New(rand.NewPCG(seed, 2))
		cut := New(20, 8, WithScrollback(1<<16))
		for rest := in; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(9))
			cut.Write(rest[:n])
			rest = rest[n:]
		}
		if d := cmp.Diff(dump(whole), dump(cut)); d != "" {
			t.Fatalf("seed %d: written at once and split differ:\n%s", seed, d)
		}
	}
}

func TestSnapshotRestoresState(t *testing.T) {
	for seed := range uint64(300) {
		in := stream(seed, 1+int(seed*37%2500))
		a := New(20, 8, WithScrollback(1<<20))
		a.Write(in)
		if s := broken(a); s != "" {
			t.Fatal(s)
		}
		b := New(20, 8, WithScrollback(1<<20))
		snap := a.Snapshot(1 << 20)
		b.Write(snap)
		if d := cmp.Diff(dump(a), dump(b)); d != "" {
			t.Fatalf("seed %d: the restored state differs:\n%s\n%q", seed, d, snap)
		}
		rest := stream(seed+1e6, 500)
		if a.last != b.last { // a snapshot cannot always restore the character for REP
			rest = append([]byte{0}, rest...)
		}
		a.Write(rest)
		b.Write(rest)
		if d := cmp.Diff(dump(a), dump(b)); d != "" {
			t.Fatalf("seed %d: output after the snapshot differs:\n%s\n%q", seed, d, rest)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(stream(seed, 300), uint8(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte, at uint8) {
		whole := New(20, 6, WithScrollback(1<<16))
		whole.Write(in)
		cut := New(20, 6, WithScrollback(1<<16))
		n := min(int(at), len(in))
		cut.Write(in[:n])
		for _, c := range in[n:] {
			cut.Write([]byte{c})
		}
		if d := cmp.Diff(dump(whole), dump(cut)); d != "" {
			t.Fatalf("written at once and split differ:\n%s", d)
		}
	})
}

func FuzzSnapshot(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(stream(seed, 300))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		a := New(20, 6, WithScrollback(1<<20))
		a.Write(in)
		if s := broken(a); s != "" {
			t.Fatal(s)
		}
		b := New(20, 6, WithScrollback(1<<20))
		snap := a.Snapshot(1 << 20)
		b.Write(snap)
		if d := cmp.Diff(dump(a), dump(b)); d != "" {
			t.Fatalf("the restored state differs:\n%s\n%q", d, snap)
		}
	})
}

func FuzzResize(f *testing.F) {
	f.Add(stream(1, 300), uint8(3), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, cols, rows uint8) {
		term := New(20, 6, WithScrollback(1<<16), WithReply(func([]byte) {}))
		half := len(in) / 2
		term.Write(in[:half])
		term.Resize(int(cols), int(rows))
		term.Write(in[half:])
		if s := broken(term); s != "" {
			t.Fatal(s)
		}
		term.Resize(int(rows), int(cols))
		if s := broken(term); s != "" {
			t.Fatal(s)
		}
		term.Resize(20, 6)
		_ = term.MainANSI()
		if c := term.Cursor(); c.X < 0 || c.X >= 20 || c.Y < 0 || c.Y >= 6 {
			t.Fatalf("cursor outside the screen: %+v", c)
		}
	})
}
