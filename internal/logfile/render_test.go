package logfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func renderAll(line []byte, width int) string {
	r := newRenderer(width)
	r.write(line)
	text, _ := r.end()
	return string(text)
}

func TestRender(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain":                         {"hello", "hello"},
		"empty":                         {"", ""},
		"tab stays":                     {"a\tb", "a\tb"},
		"pty line end":                  {"hello\r", "hello"},
		"two carriage returns":          {"hello\r\r", "hello"},
		"overwritten in part":           {"abc\rX", "Xbc"},
		"overwritten whole":             {"10%\r20%\r100%", "100%"},
		"longer after shorter":          {"ab\rxyz", "xyz"},
		"overwritten by wide text":      {"abc\räö", "äöc"},
		"backspace":                     {"|\b/\b-\b\\", "\\"},
		"backspace at the start":        {"\b\bx", "x"},
		"erased to the end":             {"downloading\r\x1b[Kdone", "done"},
		"erased to the end from inside": {"abcdef\rab\x1b[K", "ab"},
		"erased whole":                  {"abcdef\x1b[2K\rx", "x"},
		"erased whole, column kept":     {"abc\x1b[2Kx", "   x"},
		"erased to the start":           {"abcdef\x1b[3D\x1b[1Kx", "   xef"},
		"cursor right over nothing":     {"a\x1b[3Cb", "a   b"},
		"cursor right over text":        {"abcd\r\x1b[2CX", "abXd"},
		"cursor left":                   {"abcd\x1b[2DX", "abXd"},
		"cursor column":                 {"abcd\x1b[2GX", "aXcd"},
		"colors":                        {"\x1b[1;31mred\x1b[0m", "red"},
		"colors with colons":            {"\x1b[38:2::1:2:3mred\x1b[m", "red"},
		"private mode":                  {"\x1b[?25lx\x1b[?25h", "x"},
		"private K erases nothing":      {"abc\r\x1b[>Kx", "xbc"},
		"title, BEL":                    {"\x1b]0;title\ax", "x"},
		"title, ST":                     {"\x1b]0;title\x1b\\x", "x"},
		"title, ST in C1":               {"\x1b]0;title\u009cx", "x"},
		"title with UTF-8":              {"\x1b]0;täst ✓\ax", "x"},
		"title never ended":             {"a\x1b]0;title", "a"},
		"title cut short":               {"\x1b]0;ti\x1b[31mx", "x"},
		"link":                          {"\x1b]8;;http://a\x1b\\text\x1b]8;;\x1b\\", "text"},
		"DCS":                           {"\x1bPq#0;1\a2\x1b\\x", "x"},
		"APC, PM, SOS":                  {"\x1b_a\x1b\\\x1b^b\x1b\\\x1bXc\x1b\\x", "x"},
		"two bytes":                     {"\x1b7a\x1b8\x1bcb", "ab"},
		"charset":                       {"\x1b(Bx\x1b)0y", "xy"},
		"CAN ends a sequence":           {"\x1b[31\x18mx", "mx"},
		"escape in a sequence":          {"\x1b[3\x1b[1mx", "x"},
		"carriage return in a sequence": {"abc\x1b[3\r1mX", "Xbc"},
		"letter after a broken one":     {"\x1b[é", "é"},
		"C0 and DEL":                    {"a\x00\x01\a\x0b\x0c\x0e\x7fb", "ab"},
		"C1":                            {"a\u0085b\u009b31mc\u009d0;t\ad", "abcd"},
		"C1 string":                     {"a\u0090q\u009cb", "ab"},
		"UTF-8":                         {"grüße 世界 🎉", "grüße 世界 🎉"},
		"invalid":                       {"a\xffb", "a\uFFFDb"},
		"invalid, continued":            {"a\xe2\x82b", "a\uFFFD\uFFFDb"},
		"invalid at the end":            {"a\xe2\x82", "a\uFFFD\uFFFD"},
		"invalid then lead":             {"\xe2\xe2\x82\xac", "\uFFFD€"},
		"surrogate":                     {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		"stray continuation":            {"\x80\x80", "\uFFFD\uFFFD"},
		"real replacement":              {"\uFFFD", "\uFFFD"},
		"broken in a string":            {"\x1b]0;\xff\ax", "x"},
		"huge parameter":                {"\x1b[99999999999999999999Dx", "x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := renderAll([]byte(tt.in), lineWidth); got != tt.want {
				t.Errorf("text = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRenderWidth(t *testing.T) {
	tests := map[string]struct {
		in    string
		width int
		want  string
		over  int64
	}{
		"fits":                        {"abcd", 4, "abcd", 0},
		"cut":                         {"abcdef", 4, "abcd", 2},
		"cut before a character":      {"abcéf", 4, "abc", 3},
		"cut, then erased":            {"abcdefgh\r\x1b[Kxy", 4, "xy", 0},
		"cut, then overwritten":       {"abcdef\rX", 4, "Xbcd", 2},
		"overwritten by longer cells": {"abcd\réé", 4, "éé", 2},
		"cursor far right":            {"\x1b[1000Cx", 4, "", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRenderer(tt.width)
			r.write([]byte(tt.in))
			text, over := r.end()
			if diff := cmp.Diff(tt.want, string(text)); diff != "" || over != tt.over {
				t.Errorf("over = %d, want %d; text (-want +got):\n%s", over, tt.over, diff)
			}
		})
	}
}

// The text of a line does not depend on how it was split into writes, and contains nothing
// that has an effect on a terminal.
func FuzzRenderSplits(f *testing.F) {
	for _, s := range []string{
		"plain", "\x1b[1;31mred\x1b[0m", "a\rb", "\x1b]0;t\x1b\\x", "\xe2\x82\xac", "\xe2\x82", "\u009b3Kx\b\b",
		"abc\x1b[2Kx\x1b[4Cy", "\x1bPq\x1b\x1b\\", "\xc2\x1b[mx",
	} {
		f.Add([]byte(s), uint8(1), uint8(3))
		f.Add([]byte(s), uint8(200), uint8(2))
	}
	f.Fuzz(func(t *testing.T, line []byte, width, every uint8) {
		line = bytes.ReplaceAll(line, lf, nil)
		want := renderAll(line, int(width)+1)
		r := newRenderer(int(width) + 1)
		for rest := line; len(rest) > 0; {
			n := min(len(rest), int(every)+1)
			r.write(rest[:n])
			rest = rest[n:]
		}
		got, _ := r.end()
		if string(got) != want {
			t.Errorf("split: %q, at once: %q", got, want)
		}
		if len(want) > int(width)+1 {
			t.Errorf("%d bytes of text, width %d", len(want), int(width)+1)
		}
		if strings.ToValidUTF8(want, "") != want {
			t.Errorf("text %q is not valid UTF-8", want)
		}
		for _, c := range want {
			if c < ' ' && c != '\t' || c >= 0x7F && c < 0xA0 {
				t.Errorf("text %q has control character %U", want, c)
			}
		}
	})
}

// Scanning eight bytes at a time must agree with scanning one at a time.
func FuzzByteScans(f *testing.F) {
	f.Add([]byte("hello world, plain ascii\t with tab"))
	f.Add([]byte("line\r\nline\r\r\nAZaz@[`{\x7f\x80\xc1\xda\xff"))
	f.Add([]byte("0123456789abcde\x1b[m\xc2\x9b"))
	f.Fuzz(func(t *testing.T, p []byte) {
		run := 0
		for run < len(p) && (p[run] >= ' ' && p[run] < 0x7F || p[run] == '\t') {
			run++
		}
		if got := asciiLen(p); got != run {
			t.Errorf("asciiLen(%q) = %d, want %d", p, got, run)
		}
		dirty := -1
		for i, b := range p {
			crs := strings.TrimLeft(string(p[i:]), "\r")
			if b == '\r' && (crs == "" || crs[0] == '\n') || b == '\n' || b == '\t' {
				continue
			}
			if b == '\r' && len(p[i:])-len(crs) > 1 {
				continue // the last of several CRs decides
			}
			if b < ' ' || b == 0x7F || b == 0xC2 {
				dirty = i
				break
			}
		}
		if got := firstSpecialByte(p); got != dirty {
			t.Errorf("firstSpecialByte(%q) = %d, want %d", p, got, dirty)
		}
		var lower []byte
		for _, b := range p {
			if b >= 'A' && b <= 'Z' {
				b += 'a' - 'A'
			}
			lower = append(lower, b)
		}
		if got := lowerASCII([]byte("X"), p); string(got) != "X"+string(lower) {
			t.Errorf("lowerASCII(%q) = %q", p, got)
		}
	})
}
