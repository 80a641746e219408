package mcp

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/internal/logfile"
)

// The schemas list all documented actions of process, and nothing more than a client needs to
// call the tools.
func TestSchemas(t *testing.T) {
	process := schemaOf[processArgs](false)
	var documented []string
	for _, word := range process.Properties["action"].Enum {
		documented = append(documented, word.(string))
	}
	done := append(slices.Collect(maps.Keys(actions())), actionList)
	if diff := cmp.Diff(slices.Sorted(slices.Values(documented)), slices.Sorted(slices.Values(done))); diff != "" {
		t.Errorf("the actions of the schema and of the tool: %s", diff)
	}
	if diff := cmp.Diff([]string{"command"}, schemaOf[bashArgs](false).Required); diff != "" {
		t.Errorf("required of bash: %s", diff)
	}
	if required := schemaOf[bashArgs](true).Required; len(required) > 0 {
		t.Errorf("required, though it may come under another name: %v", required)
	}
	data, err := json.Marshal(process)
	if err != nil || strings.Contains(string(data), "null") || strings.Contains(string(data), "false") {
		t.Errorf("%s, %v", data, err)
	}
}

func TestExcerptText(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for _, tt := range []struct {
		name       string
		x          excerpt
		most       int
		begin, end string
		cut        string
	}{
		{"short", excerpt{head: "abc"}, 10, "abc", "abc", ""},
		{"in two parts", excerpt{head: "abc", tail: "def"}, 10, "abcdef", "abcdef", ""},
		{"just fits", excerpt{head: long}, 5000, "é", "é", ""},
		{"too long", excerpt{head: "begin" + long + "end"}, 1000, "begin", "end", "4208 characters left out of the middle; all of it is in /log"},
		{"not all was read", excerpt{head: "begin", tail: "end", skipped: 5 << 20}, 1000, "begin", "end", "about 5.0 MiB left out of the middle; all of it is in /log"},
		{
			"emoji of several characters", excerpt{head: strings.Repeat("👨‍👩‍👧‍👦", 1000)}, 1000,
			strings.Repeat("👨‍👩‍👧‍👦", 57) + "\n[…", "…]\n" + strings.Repeat("👨‍👩‍👧‍👦", 57), "6202 characters left out of the middle; all of it is in /log",
		},
		{"no room", excerpt{head: long}, 0, "[…", "]\n", "5000 characters left out of the middle; all of it is in /log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, cut := tt.x.text(tt.most, "/log")
			if !strings.HasPrefix(text, tt.begin) || !strings.HasSuffix(text, tt.end) {
				t.Errorf("the text is %.80q", text)
			}
			if cut != tt.cut {
				t.Errorf("cut: %q, want %q", cut, tt.cut)
			}
			if n := utf8.RuneCountInString(text); n > max(tt.most, 100) {
				t.Errorf("%d characters", n)
			}
		})
	}
}

func TestClean(t *testing.T) {
	for printed, want := range map[string]string{
		"downloading\r\x1b[Kok\n":              "ok\n",
		"10 %\r20 %\r\x1b[2Kdone":              "done",
		"a line\r\nanother\r\n":                "a line\nanother\n",
		"typo\b\b\b\b\x1b[Kword":               "word",
		"\x1b]8;;http://x\x07link\x1b]8;;\x07": "link",
		"tab\tkept, bell\a not":                "tab\tkept, bell not",
		"\u202eabc\U000e0041":                  "abc",
		"not \xff text":                        "not \uFFFD text",
		"./a\x00./b\x00":                       "./a\n./b\n",
		"\xff\xfea\x00b\x00c\x00d\x00":         "\uFFFD\uFFFDabcd",
	} {
		if got := clean([]byte(printed)); got != want {
			t.Errorf("%q becomes %q, want %q", printed, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain\n", "\x1b[31mred\x1b[0m", "a\rb\bc", "\xff\xc2\x85", "\u202eabc\U000e0041", "\x1b]8;;http://x\x07l\x1b]8;;\x07"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		got := clean(p)
		if !utf8.ValidString(got) {
			t.Errorf("%q is no text", got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0xe0000 && r <= 0xe007f {
				t.Errorf("%q is left in %q", r, got)
			}
		}
		if again := clean([]byte(got)); again != got {
			t.Errorf("%q becomes %q the second time", got, again)
		}
	})
}

func TestGatherKeepsBeginAndEnd(t *testing.T) {
	var g gather
	g.add("begin ")
	for range 200 {
		g.add(strings.Repeat("é", 50_000))
	}
	g.add(" end")
	x := g.excerpt()
	if !strings.HasPrefix(x.head, "begin ") || !strings.HasSuffix(x.tail, " end") {
		t.Errorf("kept %.20q and %.20q", x.head, x.tail[len(x.tail)-20:])
	}
	if sum := int64(len(x.head)+len(x.tail)) + x.skipped; sum != 6+200*100_000+4 {
		t.Errorf("%d bytes are accounted for", sum)
	}
	if !utf8.ValidString(x.head) || !utf8.ValidString(x.tail) {
		t.Error("a character is cut")
	}
	if len(x.head)+len(x.tail) > 4*maxRead {
		t.Errorf("%d bytes are kept", len(x.head)+len(x.tail))
	}
}

func TestClamped(t *testing.T) {
	for _, tt := range []struct {
		ms   float64
		want time.Duration
		said bool
	}{
		{0, 0, false}, {10, 10 * time.Millisecond, false}, {3, 10 * time.Millisecond, true}, {-5, 10 * time.Millisecond, true},
		{30_000, 30 * time.Second, false}, {120_000, 30 * time.Second, true}, {1e300, 30 * time.Second, true}, {12.5, 12500 * time.Microsecond, false},
	} {
		got, note := clamped("timeout", tt.ms, 10*time.Millisecond, maxPoll)
		if got != tt.want || (note != "") != tt.said {
			t.Errorf("%g: %v, %q", tt.ms, got, note)
		}
	}
	if _, note := clamped("timeout", 9_999_999, 0, maxPoll); !strings.Contains(note, "timeout 9999999 is outside") {
		t.Errorf("the number is not said as it was given: %q", note)
	}
}

func TestRetryAfter(t *testing.T) {
	for idle, want := range []time.Duration{5, 5, 10, 30, 60, 60, 60} {
		if got := retryAfter(idle); got != want*time.Second {
			t.Errorf("after %d: %v", idle, got)
		}
	}
}

func TestProjectOf(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := projectOf(deep); got != deep {
		t.Errorf("without git: %s", got)
	}
	if err := os.WriteFile(filepath.Join(root, "a", ".git"), []byte("gitdir: elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := projectOf(deep); got != filepath.Join(root, "a") {
		t.Errorf("in a work tree: %s", got)
	}
}

func TestTruncationKeepsRunes(t *testing.T) {
	for _, tt := range []struct {
		s           string
		n           int
		first, last string
	}{
		{"", 3, "", ""}, {"é🙂x", 0, "", ""}, {"é🙂x", 1, "é", "x"}, {"é🙂x", 2, "é🙂", "🙂x"}, {"é🙂x", 9, "é🙂x", "é🙂x"},
	} {
		if got := logfile.FirstRunes(tt.s, tt.n); got != tt.first {
			t.Errorf("first %d of %q: %q", tt.n, tt.s, got)
		}
		if got := logfile.LastRunes(tt.s, tt.n); got != tt.last {
			t.Errorf("last %d of %q: %q", tt.n, tt.s, got)
		}
	}
}
