package vt

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQueries(t *testing.T) {
	facts := Facts{Foreground: RGB(0xd0, 0xd0, 0xd0), Background: RGB(0x10, 0x20, 0x30), CellWidth: 10, CellHeight: 20, KittyKeyboard: true}
	tests := []struct{ name, in, want string }{
		{"primary attributes", "\x1b[c", "\x1b[?64;1;6;21;22;28c"},
		{"secondary attributes", "\x1b[>c", "\x1b[>41;383;0c"},
		{"tertiary attributes", "\x1b[=c", "\x1bP!|00000000\x1b\\"},
		{"version", "\x1b[>q", "\x1bP>|hob\x1b\\"},
		{"status", "\x1b[5n", "\x1b[0n"},
		{"position", "\x1b[3;5H\x1b[6n", "\x1b[3;5R"},
		{"position in margins", "\x1b[2;5r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R"},
		{"position at the edge", "\x1b[1;10Hxx\b\x1b[6n", "\x1b[2;1R"},
		{"extended position", "\x1b[?6n", "\x1b[?1;1;1R"},
		{"mode set", "\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"},
		{"mode reset", "\x1b[?2026$p", "\x1b[?2026;2$y"},
		{"mode unknown", "\x1b[?31337$p", "\x1b[?31337;0$y"},
		{"parameter behind an intermediate", "\x1b[4$0p", ""},
		{"insert mode", "\x1b[4h\x1b[4$p", "\x1b[4;1$y"},
		{"style", "\x1b[1;4:3;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;4:3;31m\x1b\\"},
		{"margins", "\x1b[2;3r\x1bP$qr\x1b\\", "\x1bP1$r2;3r\x1b\\"},
		{"cursor style", "\x1b[5 q\x1bP$q q\x1b\\", "\x1bP1$r5 q\x1b\\"},
		{"unknown setting", "\x1bP$qX\x1b\\", "\x1bP0$r\x1b\\"},
		{"termcap", "\x1bP+q436f;5858\x1b\\", "\x1bP1+r436f=323536\x1b\\\x1bP0+r5858\x1b\\"},
		{"foreground", "\x1b]10;?\x1b\\", "\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"},
		{"background", "\x1b]11;?\a", "\x1b]11;rgb:1010/2020/3030\x1b\\"},
		{"three colors", "\x1b]10;#ff0000;?;?\a", "\x1b]11;rgb:1010/2020/3030\x1b\\\x1b]12;rgb:ffff/0000/0000\x1b\\"},
		{"palette", "\x1b]4;1;rgb:1/2/3\a\x1b]4;1;?\a\x1b]104;1\a\x1b]4;1;?\a", "\x1b]4;1;rgb:1111/2222/3333\x1b\\\x1b]4;1;rgb:cdcd/0000/0000\x1b\\"},
		{"scheme", "\x1b[?996n", "\x1b[?997;1n"},
		{"kitty keyboard", "\x1b[>5u\x1b[?u", "\x1b[?5u"},
		{"size", "\x1b[18t\x1b[14t\x1b[16t", "\x1b[8;5;10t\x1b[4;100;100t\x1b[6;20;10t"},
		{"title is not reported", "\x1b]2;rm -rf\a\x1b[21t", "\x1b]l\x1b\\"},
		{"in-band size", "\x1b[?2048h", "\x1b[48;5;10;100;100t"},
		{"checksum", "AB\x1b[1;1;1;1;1;2*y", "\x1bP1!~FF7D\x1b\\"},
		{"clipboard is never read", "\x1b]52;c;?\a", ""},
		{"notifications", "\x1b]99;i=q.1:p=?;\a\x1b]99;i=q;p=?;\a\x1b]99;i=q\"w:p=?;\a", "\x1b]99;i=q.1:p=?;p=title,body:u=0,1,2\x1b\\"},
		{"other keys", "\x1b[>4;2m\x1b[?4m", "\x1b[>4;2m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []byte
			term := New(10, 5, WithFacts(facts), WithReply(func(b []byte) { got = append(got, b...) }))
			term.Write([]byte(tt.in))
			if string(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSetFacts(t *testing.T) {
	var got string
	term := New(10, 5, WithReply(func(b []byte) { got += string(b) }))
	light := Facts{Background: RGB(255, 255, 255), CellWidth: 9, CellHeight: 18}
	term.SetFacts(light)
	term.SetFacts(Facts{})
	if got != "" {
		t.Errorf("reported without a request: %q", got)
	}
	term.Write([]byte("\x1b[?2031h\x1b[?2048h"))
	got = ""
	term.SetFacts(light)
	term.SetFacts(light)
	if want := "\x1b[?997;2n\x1b[48;5;10;90;90t"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Replies that depend on pending facts are deferred, and so are all replies after them, to
// keep the order of the queries.
func TestPendingFactsDeferReplies(t *testing.T) {
	var got string
	term := New(10, 5, WithFacts(Facts{Pending: true}), WithReply(func(b []byte) { got += string(b) }))
	term.Write([]byte("\x1b[c"))
	if want := "\x1b[?64;1;6;21;22;28c"; got != want {
		t.Errorf("before any such query: %q, want %q", got, want)
	}
	got = ""
	term.Write([]byte("\x1b[>1u\x1b[?u\x1b]11;?\a\x1b[5n"))
	term.SetFacts(Facts{Pending: true})
	if got != "" {
		t.Errorf("answered while the facts are pending: %q", got)
	}
	term.SetFacts(Facts{Background: RGB(1, 2, 3), KittyKeyboard: true})
	if want := "\x1b[?1u\x1b]11;rgb:0101/0202/0303\x1b\\\x1b[0n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = ""
	term.Write([]byte("\x1b]11;?\a"))
	if want := "\x1b]11;rgb:0101/0202/0303\x1b\\"; got != want {
		t.Errorf("afterwards: %q, want %q", got, want)
	}
}

func TestKittyQueryWithoutSupport(t *testing.T) {
	term := New(10, 5, WithReply(func(b []byte) { t.Errorf("answered %q", b) }))
	term.Write([]byte("\x1b[?u"))
}

func TestHandler(t *testing.T) {
	var got []string
	note := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	h := Handler{
		Title: func(s string) { note("title %s", s) },
		Bell:  func() { note("bell") },
		Notify: func(n Notification) {
			note("notify%s %s|%s", map[Urgency]string{Low: " low", Critical: " critical"}[n.Urgency], n.Title, n.Body)
		},
		Progress:  func(s Progress, n int) { note("progress %d %d", s, n) },
		Cwd:       func(uri string) { note("cwd %s", uri) },
		Clipboard: func(sel string, data []byte) { note("clipboard %s %s", sel, data) },
	}
	tests := []struct {
		in   string
		want []string
	}{
		{"\a", []string{"bell"}},
		{"\x1b]0;a\a\x1b]2;b\x1b\\\x1b]2;b\a\x1b]1;icon\a", []string{"title a", "title b"}},
		{"\x1b]2;a\x1b[1mb\a", []string{"bell"}}, // an escape ends the string
		{"\x1b]2;x\ty\u009b\a", []string{"title xy"}},
		{"\x1b]2;one\a\x1b[22;0t\x1b]2;two\a\x1b[23;0t", []string{"title one", "title two", "title one"}},
		{"\x1b]2;one\a\x1b[22;1t\x1b]2;two\a\x1b[23;1t", []string{"title one", "title two"}},
		{"\x1b]9;done\a", []string{"notify |done"}},
		{"\x1b]777;notify;build;it; works\a", []string{"notify build|it; works"}},
		{"\x1b]99;;done\a\x1b]99;i=1:p=body;only a body\x1b\\", []string{"notify |done", "notify |only a body"}},
		{"\x1b]99;i=1:d=0;bu\a\x1b]99;i=1:d=0;ild\a\x1b]99;i=1:d=0:p=body:e=1;aXQ7IA\a\x1b]99;i=1:p=body:e=1;d29ya3M=\a", []string{"notify build|it; works"}},
		{"\x1b]99;i=1:d=0;build\a\x1b]99;i=1:d=0:p=body;works\a\x1b]99;i=1:d=1;\a", []string{"notify build|works"}},
		{"\x1b]99;i=1:d=0;one\a\x1b]99;i=2;two\a\x1b]99;i=1;\a", []string{"notify |two"}},
		{"\x1b]99;i=1:d=0;one\a\x1b]99;i=1:p=close;\a\x1b]99;i=1;\a", nil},
		{"\x1b]99;i=1:d=0;one\a\x1b]99;i=1:p=icon:e=1;AAAA\a\x1b]99;i=1:p=icon;\a", []string{"notify |one"}},
		{"\x1b]99;i=a b;bad id\a\x1b]99;e=1;%%\a\x1b]99\a", nil},
		{"\x1b]99;i=1:d=0:u=2;disk\a\x1b]99;i=1:p=body;is full\a", []string{"notify critical disk|is full"}},
		{"\x1b]99;u=0;low\a\x1b]99;u=1;normal\a\x1b]99;u=9;unknown\a\x1b]99;;none\a", []string{"notify low |low", "notify |normal", "notify |unknown", "notify |none"}},
		{"\x1b]99;;a\u009bb\tc\a", []string{"notify |abc"}},
		{"\x1b]9;4;1;50\a\x1b]9;4;3\a\x1b]9;4;0;\a\x1b]9;4;1;900\a\x1b]9;4;7;1\a", []string{"progress 1 50", "progress 3 0", "progress 0 0", "progress 1 100"}},
		{"\x1b]9;9;C:\\dir\a", nil},
		{"\x1b]7;file://box/tmp\a", []string{"cwd file://box/tmp"}},
		{"\x1b]52;c;aGVsbG8=\a\x1b]52;c;?\a\x1b]52;p;!\a", []string{"clipboard c hello", "clipboard p "}},
		{"\x1b]2;cancelled\x18\x1b]2;kept\a", []string{"title kept"}},
	}
	for _, tt := range tests {
		got = nil
		term := New(10, 5, WithHandler(h))
		term.Write([]byte(tt.in))
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q: (-want +got)\n%s", tt.in, d)
		}
	}
}

func TestModes(t *testing.T) {
	term := New(10, 5)
	want := Modes{AutoWrap: true, AltScroll: true}
	if d := cmp.Diff(want, term.Modes()); d != "" {
		t.Errorf("at the start: (-want +got)\n%s", d)
	}
	term.Write([]byte("\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?2026h\x1b[?5h\x1b[>3u\x1b[4h\x1b[?7l\x1b[>4;1m"))
	want = Modes{
		Alternate: true, AppCursor: true, AppKeypad: true, BracketedPaste: true, FocusEvents: true, Insert: true,
		Synchronized: true, ReverseScreen: true, AltScroll: true, Mouse: MouseDrag, MouseEncoding: MouseSGR, Kitty: 3, ModifyKeys: 1,
	}
	if d := cmp.Diff(want, term.Modes()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	term.Write([]byte("\x1b[?25l\x1b[3 q"))
	if got, want := term.Cursor(), (Cursor{Shape: CursorUnderline, Blink: true}); got != want {
		t.Errorf("cursor %+v, want %+v", got, want)
	}
	term.Write((&Filter{alternate: true}).ModeReset())
	want = Modes{AutoWrap: true, AltScroll: true}
	if d := cmp.Diff(want, term.Modes()); d != "" {
		t.Errorf("after ModeReset: (-want +got)\n%s", d)
	}
}
