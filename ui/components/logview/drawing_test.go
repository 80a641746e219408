package logview

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/vt"
)

func TestRowsHaveTheirExactWidth(t *testing.T) {
	tests := map[string]string{
		"wide":             "漢字 text",
		"combining":        "cafe\u0301 nai\u0308ve",
		"joined emoji":     "a👩\u200d💻b",
		"variant":          "⚠\ufe0f warning ✔\ufe0f ok",
		"skin":             "👍🏽 done",
		"flag":             "🇩🇪🇫🇷 end",
		"keycap":           "1\ufe0f\u20e3 one",
		"hangul in pieces": "\u1112\u1161\u11ab end",
		"devanagari":       "नमस्ते end",
		"zero width":       "a\u200bb\u2060c",
		"tag sequence":     "🏴\U000e0067\U000e0062\U000e007f end",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			s := show(t, text+"\n", 40, 3, true)
			row, _, _ := strings.Cut(s.m.View(), "\n")
			if c, w := ansi.StringWidth(row), ansi.StringWidthWc(row); c != 40 || w != 40 {
				t.Errorf("%d columns by cluster, %d by code point: %q", c, w, row)
			}
			if end := text[strings.LastIndexByte(text, ' ')+1:]; isASCII(end) && !strings.Contains(row, end) {
				t.Errorf("what is plain is not shown in %q", row)
			}
		})
	}
}

func TestVariantIsDrawnInSimplerForm(t *testing.T) {
	s := show(t, "⚠\ufe0f warning 1\ufe0f\u20e3 one\n", 40, 2, true)
	if got, want := s.screen()[0], "⚠  warning 1  one"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDirectionMarksAreDropped(t *testing.T) {
	s := show(t, "level \u202enimda\u202c \u2066iso\u2069 \u200fx\u061c\ufeff.\n", 40, 2, true)
	if got, want := s.screen()[0], "level nimda iso x."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinks(t *testing.T) {
	osc := func(uri, text string) string { return "\x1b]8;id=7;" + uri + "\x1b\\" + text + "\x1b]8;;\x1b\\" }
	tests := map[string]struct {
		line string
		want []string // each: the target and the text of a link
	}{
		"plain":                {"see https://example.com/a?b=c#d, or not", []string{"https://example.com/a?b=c#d https://example.com/a?b=c#d"}},
		"in brackets":          {"(http://a.example/x_(y)) [https://b.example].", []string{"http://a.example/x_(y) http://a.example/x_(y)", "https://b.example https://b.example"}},
		"in quotes":            {`{"url":"https://a.example/"}`, []string{"https://a.example/ https://a.example/"}},
		"a file":               {"file:///tmp/x.log:", []string{"file:///tmp/x.log file:///tmp/x.log"}},
		"of another scheme":    {"ftp://a.example javascript://x xhttps://a.example ://y https://", nil},
		"coloured inside":      {"http://a.example/\x1b[31mred\x1b[m", []string{"http://a.example/red http://a.example/", "http://a.example/red red"}},
		"the job's":            {osc("https://a.example/docs", "the docs"), []string{"https://a.example/docs the docs"}},
		"the job's, in its":    {osc("https://a.example/1", "http://b.example"), []string{"https://a.example/1 http://b.example"}},
		"a program":            {osc("javascript:alert(1)", "this") + osc("x-man-page://1/ls", "that") + osc("ssh://h", "x"), nil},
		"hidden in the target": {osc("https://a.example/\u202egnp", "x"), nil},
		"too long":             {osc("https://a.example/"+strings.Repeat("a", maxLink), "x"), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := show(t, tt.line+"\n", 120, 2, true)
			row, _, _ := strings.Cut(s.m.View(), "\n")
			var got []string
			for _, part := range strings.Split(row, "\x1b]8;;")[1:] {
				uri, text, _ := strings.Cut(part, "\a")
				if uri != "" {
					got = append(got, uri+" "+ansi.Strip(text))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%q", diff, row)
			}
			if strings.Contains(ansi.Strip(row), "8;") {
				t.Errorf("a link is shown as text: %q", row)
			}
		})
	}
}

func TestCutLineHasNote(t *testing.T) {
	s := show(t, strings.Repeat("x", 3<<20)+"\n", 60, 4, true)
	s.press("g", "$")
	rows := s.screen()
	if !strings.HasSuffix(rows[0], "x [… 3.0 MiB more in this line]") {
		t.Errorf("the end of a line that is cut: %q", rows[0])
	}
	s.press("0", "y")
	if n := len(s.copied); n < 100<<10 || !s.cut || strings.Contains(s.copied, "more") {
		t.Errorf("copied %d bytes, cut %t", n, s.cut)
	}
}

// Drawings of lines of a megabyte are not kept in memory.
func TestLongDrawingsAreDropped(t *testing.T) {
	s := show(t, strings.Repeat(strings.Repeat("long ", 40000)+"\n", 30), 60, 5, true)
	s.screen()
	for range 20 {
		s.press("k")
		s.screen()
	}
	drawn := 0
	for _, e := range s.m.lines {
		if e.drawn != nil {
			drawn++
		}
	}
	if drawn > 5 {
		t.Errorf("%d long lines are kept drawn, 5 can be seen", drawn)
	}
}

func TestLinesWiderThanTheEmulator(t *testing.T) {
	var want strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&want, "%d漢", i)
	}
	d := new(lineEmulator).draw(Label{}, []byte("\x1b[1m"+want.String()), 64<<10)
	if d.text != want.String() {
		t.Errorf("%d bytes of %d, or others, are drawn", len(d.text), want.Len())
	}
	d = new(lineEmulator).draw(Label{}, []byte(want.String()), 10000)
	if !strings.HasPrefix(want.String(), d.text) || d.shown != len(d.text) || d.shown < 9990 {
		t.Errorf("cut: %d bytes, said to be %d", len(d.text), d.shown)
	}
}

func TestFormFeedDoesNotEndLine(t *testing.T) {
	s := show(t, "one\ftwo\vthree\n", 40, 2, true)
	if got := s.screen()[0]; got != "onetwothree" {
		t.Errorf("%q", got)
	}
}

func TestManyStylesInOneLine(t *testing.T) {
	var line strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&line, "\x1b[38;2;%d;%d;0m%c", i/256, i%256, 'a'+i%26)
	}
	d := new(lineEmulator).draw(Label{}, []byte(line.String()), maxColumns)
	for i, g := range d.glyphs {
		if want := vt.RGB(uint8(i/256), uint8(i%256), 0); d.looks[g.look].style.Fg != want {
			t.Fatalf("character %d has another colour", i)
		}
	}
}

// Whatever a job prints, the view contains only text, colors and links.
func TestViewHasNoControlSequencesOfJob(t *testing.T) {
	pieces := []string{"\x1b", "[", "]", "8;;", "https://a", "\a", "\x1b\\", "?1049h", "?2004h", "52;c;aGk=", "0;t", "2J", "6n", "P", "\x9b", "\u009b",
		"\u009d", "\r", "\b", "\x00", "\xff", "m", "31", ";", "text", "漢", "\u202e", "\t", "H", "c", "\x0e", "\x7f", "_G", "^", "X"}
	r := rand.New(rand.NewPCG(1, 2))
	s := show(t, "", 50, 6, true)
	for range 300 {
		var b strings.Builder
		for range 6 * 12 {
			b.WriteString(pieces[r.IntN(len(pieces))])
			if r.IntN(12) == 0 {
				b.WriteByte('\n')
			}
		}
		s.do(s.m.SetSource(&memory{text: b.String()}, true))
		for row := range strings.SplitSeq(s.m.View(), "\n") {
			if rest := inert(row); rest != "" {
				t.Fatalf("%q gets through: %q of %q", rest, row, b.String())
			}
			if ansi.StringWidth(row) != 50 {
				t.Fatalf("a row of %d columns: %q of %q", ansi.StringWidth(row), row, b.String())
			}
		}
	}
}

// inert returns the rest of a row from the first byte that is not text, color or link.
func inert(row string) string {
	for row != "" {
		if rest, ok := strings.CutPrefix(row, "\x1b["); ok {
			i := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != ';' && r != ':' })
			if i < 0 || rest[i] != 'm' {
				return row
			}
			row = rest[i+1:]
			continue
		}
		if rest, ok := strings.CutPrefix(row, "\x1b]8;;"); ok {
			uri, after, _ := strings.Cut(rest, "\a")
			if uri != "" && safeLink(uri) == "" {
				return row
			}
			row = after
			continue
		}
		r := []rune(row)[0]
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e {
			return row
		}
		row = row[len(string(r)):]
	}
	return ""
}
