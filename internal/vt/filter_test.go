package vt

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFilter(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"text", "hello 漢字 é\r\n", "hello 漢字 é\r\n"},
		{"style", "\x1b[1;31mred\x1b[m", "\x1b[1;31mred\x1b[m"},
		{"attributes", "a\x1b[cb\x1b[>cc\x1b[=cd\x1bZe", "abcde"},
		{"status", "a\x1b[5nb\x1b[6nc\x1b[?6nd\x1b[?996ne", "abcde"},
		{"modes", "\x1b[?2026$p\x1b[4$p\x1b[!p\x1b[61\"p", "\x1b[!p\x1b[61\"p"},
		{"colors", "\x1b]11;?\a\x1b]4;1;?;2;#fff\x1b\\\x1b]10;#fff\a\x1b]104\a", "\x1b]10;#fff\a\x1b]104\a"},
		{"clipboard", "\x1b]52;c;aGVsbG8=\a\x1b]52;c;?\a", ""},
		{"titles", "\x1b]0;title\a\x1b[22;0t\x1b[23t\x1b[21t\x1b[14t\x1b[18t", "\x1b]0;title\a\x1b]2;title\x1b\\"},
		{"titles of which more are taken back than were kept", "\x1b]2;a\a\x1b[22t\x1b]2;b\a\x1b[23;2t\x1b[23t\x1b[22;1t", "\x1b]2;a\a\x1b]2;b\a\x1b]2;a\x1b\\"},
		{"link", "\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\", "\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\"},
		{"device control", "\x1bP$qm\x1b\\a\x1bP+q544e\x1b\\b\x1bPtmux;\x1b\x1b[c\x1b\\c", "abc"},
		{"graphics", "\x1b_Gi=1,a=q;AAAA\x1b\\x", "x"},
		{"kitty", "\x1b[?u\x1b[>1u\x1b[<u\x1b[=1;1u", "\x1b[>1u\x1b[<u\x1b[=1;1u"},
		{"version", "\x1b[>q\x1b[>0q\x1b[2 q", "\x1b[2 q"},
		{"keys", "\x1b[?4m\x1b[>4;1m", "\x1b[>4;1m"},
		{"checksum", "\x1b[1;1;1;1;2;2*y\x1b[1;2;3;4;5$x", "\x1b[1;2;3;4;5$x"},
		{"parameters", "\x1b[x\x1b[1x", ""},
		{"in-band size", "\x1b[?2048h\x1b[?2004h", "\x1b[?2004h"},
		{"enquiry", "a\x05b", "ab"},
		{"control in UTF-8", "a\u009bcb é", "acb é"},
		{"broken string", "\x1b]11;?\x1b[1mx", "\x1b[1mx"},
		{"broken sequence", "\x1b[3\x1b[1mx", "\x1b[1mx"},
		{"control within", "\x1b[1\n\x05mx\x1b[6\nny\x1b\x1b[c[c", "\n\x1b[1mx\ny[c"},
		{"control before the end", "\x1b\x00Z\x1b\x00[\x00c\x1b\x00]52;c;?\x07x", "\x00\x00\x00\x00x"},
		{"modes together", "\x1b[?25;2048;2004h\x1b[?2;7l\x1b<\x1b[?2h", "\x1b[?25;2004h\x1b[?7l\x1b(B\x1b)B\x1b*B\x1b+B\x0f"},
		{"parameter behind an intermediate", "\x1b[5;$0px", "x"},
		{"VT52", "\x1b[?2l\x1bA\x1bZ\x1bY#%x\x1b]52;c;?\a\x1b[c\x1bI\x1b<\x1b[cx\x1b[1m", "\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[A\x1b[4;6Hx52;c;?\ac\x1bMx\x1b[1m"},
		{"name of a tmux window", "a\x1bkname\x1b\\b", "anameb"},
		{"macros", "\x1bP1;0;0!z61\x1b\\a\x1b[1*zb\x1b[*zc", "abc"},
		{"printing", "a\x1b[5ib\x1b[?5ic\x1b[id\x1b[?18;19he", "abcde"},
		{"window", "a\x1b[8;9;9tb\x1b[2tc\x1b[132$|d\x1b[9*|e\x1b[?40;3hf\x1b[>1tg\x1b[>2Th", "abcde\x1b[?3hfgh"},
		{"keyboard", "a\x1b[2;12hb\x1b[4;20hc\x1b[12ld\x1b[?8le\x1b[>1;2mf\x1b[>1ng\x1b[0qh\x1b[>1sk", "ab\x1b[4;20hcdefghk"},
		{"sounds", "a\x1b[1 tb\x1b[8 uc\x1b[7;1;1,~d", "abcd"},
		{"status line", "a\x1b[2$~b\x1b[1$}c", "abc"},
		{"highlight tracking", "a\x1b[?1001hb\x1b[1;1;1;1;1Tc\x1b[?1000h", "ab\x1b[1;1;1;1;1Tc\x1b[?1000h"},
		{"unknown modes", "a\x1b[?1043hb\x1b[?1034;25:2026hc\x1b[?9001h\x1b[?25 hd\x1b[?hd", "ab\x1b[?25;2026hcdd"},
		{"UTF-8 and 8-bit controls", "a\x1b%@b\x1b Gc\x1bld\x1b(%5e", "abcde"},
		{"commands of ConEmu", "\x1b]9;7;calc\a\x1b]9;5\a\x1b]9;4;1;3\a\x1b]9;done\a\x1b]777;precmd\a\x1b]777;notify;a;b\a", "\x1b]9;4;1;3\a\x1b]9;done\a\x1b]777;notify;a;b\a"},
		{
			"notifications that the terminal would answer",
			"\x1b]99;i=1:p=?;\a\x1b]99;i=1:d=0;a\a\x1b]99;i=1:a=report,focus;b\ac\x1b]99;i=1:c=1;d\a\x1b]99;p=alive;\a\x1b]99;i=1:a=focus:p=body;e\a",
			"\x1b]99;i=1:d=0;a\ac\x1b]99;i=1:a=focus:p=body;e\a",
		},
		{"control in a string", "\x1b]0;a\u009c\u009b6n\ax\x1b]8;;h\u009d\ay\x1b]2;é\a", "xy\x1b]2;é\a"},
		{"pointer colors and shape", "a\x1b]13;#fff\ab\x1b]22;hand\ac\x1b]113\ad", "abcd"},
		{"colors of the palette", "a\x1b[#Pb\x1b[#Qc\x1b[#Rd\x1b[#{e\x1b[#}", "abcd\x1b[#{e\x1b[#}"},
		{"reports of a program", "a\x1b]7501;state=blocked\ab\x1b]7501;?\x1b\\c", "abc"},
		{"unknown OSC", "\x1b]1337;ReportCellSize\ax", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var whole, cut Filter
			if got := string(whole.Append(nil, []byte(tt.in))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			var got []byte
			for i := range len(tt.in) {
				got = cut.Append(got, []byte(tt.in[i:i+1]))
			}
			if string(got) != tt.want {
				t.Errorf("byte by byte: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFilterAllowsClipboardWrites(t *testing.T) {
	f := Filter{Clipboard: true}
	const write = "\x1b]52;c;aGVsbG8=\a"
	if got := string(f.Append(nil, []byte(write+"\x1b]52;c;?\a"))); got != write {
		t.Errorf("got %q, want %q", got, write)
	}
}

// TestFilterRemovesQueries checks that a terminal does not reply to a filtered stream, and
// shows the same screen.
func TestFilterRemovesQueries(t *testing.T) {
	for seed := range uint64(300) {
		// Without REP, whose effect depends on the sequence before it.
		in := bytes.ReplaceAll(bytes.ToValidUTF8(stream(seed, 2000), nil), []byte{'b'}, []byte{'B'})
		var f Filter
		var out []byte
		r := rand.New(rand.NewPCG(seed, 3))
		for p := in; len(p) > 0; {
			n := min(len(p), 1+r.IntN(30))
			out = f.Append(out, p[:n])
			p = p[n:]
		}
		filtered := New(20, 8, WithReply(func(b []byte) { t.Errorf("seed %d: answered %q", seed, b) }),
			WithHandler(Handler{Clipboard: func(string, []byte) { t.Errorf("seed %d: clipboard", seed) }}))
		filtered.Write(out)
		plain := New(20, 8)
		plain.Write(in)
		if got, want := filtered.ANSI(), plain.ANSI(); got != want {
			t.Errorf("seed %d: the filter changed the screen:\n%q\n%q", seed, got, want)
		}
	}
}

// follow feeds c to a Scanner.
func follow(s *Scanner, c byte) {
	if s.Ground() && c != 0x1b {
		return
	}
	n, done := s.Next([]byte{c})
	if !done {
		return
	}
	s.Reset()
	if n == 0 { // c is text, or begins another sequence
		follow(s, c)
	}
}

// The Scanner and the Terminal agree on which bytes belong to a sequence.
func agree(t *testing.T, in []byte) {
	term := New(20, 6)
	var s Scanner
	for i, c := range in {
		if s.Ground() {
			s.vt52 = term.modes.has(modeVT52)
		}
		term.Write([]byte{c})
		follow(&s, c)
		if want := term.parser.state == ground; s.Ground() != want {
			t.Fatalf("after %q: the scanner is in text: %v, the terminal: %v", in[:i+1], s.Ground(), want)
		}
	}
}

func TestScannerAgreesWithTerminal(t *testing.T) {
	for seed := range uint64(300) {
		agree(t, stream(seed, 2000))
	}
}

func FuzzScanner(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(stream(seed, 300))
	}
	f.Fuzz(agree)
}

func TestStrip(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "hello\tworld\n", "hello\tworld\n"},
		{"style", "\x1b[1;31mred\x1b[m \x1b[38:2::1:2:3mx", "red x"},
		{"title", "a\x1b]0;title\ab\x1b]2;x\x1b\\c", "abc"},
		{"device control", "a\x1bP1;2|xyz\x1b\\b", "ab"},
		{"controls", "a\x00b\x07c\x0ed\x7fe\r\n", "abcde\r\n"},
		{"character sets", "\x1b(0lqk\x1b(B", "lqk"},
		{"UTF-8", "é漢字\u0085x â", "é漢字x â"},
		{"broken", "a\x1b[3\x1b[1mb\x1b]0;x\x1b[1mc", "abc"},
		{"cancelled", "a\x1b[3\x18b", "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Strip(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzFilter(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(stream(seed, 200))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var whole, cut Filter
		a := whole.Append(nil, in)
		var b []byte
		for i := range in {
			b = cut.Append(b, in[i:i+1])
		}
		if string(a) != string(b) {
			t.Fatalf("at once %q, split %q", a, b)
		}
		term := New(20, 6, WithReply(func(b []byte) { t.Fatalf("answered %q to %q", b, a) }))
		term.Write(a)
	})
}

// TestModeReset checks the position of the cursor, and that all modes of the application are
// reset.
func TestModeReset(t *testing.T) {
	tests := []struct {
		name, in string
		want     Cursor
	}{
		{"a command", "\x1b7\x1b[3;1Hout", Cursor{X: 3, Y: 2, Visible: true}},
		{"left the editor", "12\x1b[?1049h\x1b[5;5Hx\x1b[?1049l3", Cursor{X: 3, Visible: true}},
		{"in the editor", "12\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[2;4r\x1b[5;5Hx", Cursor{X: 2, Visible: true}},
		{"margins", "\x1b[2;4r\x1b[?69h\x1b[3;9s\x1b[4;4H\x1b[31mx\x1b[?6h\x1b[2;2H", Cursor{X: 3, Y: 2, Visible: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f Filter
			term := New(20, 6)
			term.Write(f.Append(nil, []byte(tt.in)))
			term.Write(f.ModeReset())
			if got := term.Cursor(); got != tt.want {
				t.Errorf("cursor %+v, want %+v", got, tt.want)
			}
			if d := cmp.Diff(New(20, 6).Modes(), term.Modes()); d != "" {
				t.Errorf("modes (-want +got)\n%s", d)
			}
			if term.top != 0 || term.bot != 5 || term.left != 0 || term.rgt != 19 || term.cur.pen != (Cell{}) {
				t.Error("margins or style were not reset")
			}
		})
	}
}

func TestFilterRestoresKeptTitle(t *testing.T) {
	f := Filter{TitleKept: true}
	got := string(f.Append(nil, []byte("\x1b[22;0t\x1b]2;vim\a\x1b[23;0t\x1b]2;\x1b\\")))
	const own = "\x1b[23;0t\x1b[22;0t"
	if want := "\x1b]2;vim\a" + own + own; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
