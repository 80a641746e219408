package vt

import (
	"archive/zip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var corpusFile = flag.String("corpus", "testdata/corpus.zip", "recordings to compare with")

// overline finds SGR 53 (overline) as tmux writes it.
var overline = regexp.MustCompile("(\x1b\\[(?:[0-9;:]*;)?)5:3([;m])")

// recording is one scene of the corpus.
type recording struct {
	Name       string
	Cols, Rows int
	Marks      []recordedScreen
	Sizes      []recordedSize `json:",omitempty"`
	stream     []byte
}

// recordedSize is a resize before the byte at At.
type recordedSize struct {
	At, Cols, Rows int
}

// recordedScreen is the screen of tmux after the first At bytes.
type recordedScreen struct {
	At     int
	Screen string // capture-pane -e
	X, Y   int
	Shown  bool // the cursor
	Alt    bool
	Title  string
}

// play writes the bytes between two offsets and applies the resizes between them,
// without one at the last offset.
func (r recording) play(t *Terminal, from, to int) {
	for _, z := range r.Sizes {
		if z.At >= from && z.At < to {
			t.Write(r.stream[from:z.At])
			t.Resize(z.Cols, z.Rows)
			from = z.At
		}
	}
	t.Write(r.stream[from:to])
}

func readCorpus(t testing.TB) []recording {
	t.Helper()
	z, err := zip.OpenReader(*corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	read := func(name string) []byte {
		t.Helper()
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var list []recording
	for _, f := range z.File {
		if name, ok := strings.CutSuffix(f.Name, ".json"); ok {
			var r recording
			if err := json.Unmarshal(read(f.Name), &r); err != nil {
				t.Fatal(err)
			}
			r.stream = read(name + ".out")
			list = append(list, r)
		}
	}
	return list
}

// readDifferences returns the screens that are known to differ from tmux, by scene and
// number.
func readDifferences(t testing.TB) map[string]bool {
	t.Helper()
	b, err := os.ReadFile("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for l := range strings.Lines(string(b)) {
		f := strings.Fields(l)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		for _, n := range f[1:] {
			known[f[0]+" "+n] = true
		}
	}
	return known
}

// TestScreensMatchTmux compares every screen of the corpus, cell by cell.
func TestScreensMatchTmux(t *testing.T) {
	known := readDifferences(t)
	total := 0
	for _, r := range readCorpus(t) {
		t.Run(r.Name, func(t *testing.T) {
			term := New(r.Cols, r.Rows, WithScrollback(1<<20))
			at := 0
			for i, m := range r.Marks {
				total++
				r.play(term, at, m.At)
				at = m.At
				m.Screen = overline.ReplaceAllString(m.Screen, "${1}53$2")
				oracle := New(term.cols, term.rows)
				fmt.Fprint(oracle, "\x1b)0\x1b[?7l")
				for y, line := range strings.Split(strings.TrimSuffix(m.Screen, "\n"), "\n") {
					fmt.Fprintf(oracle, "\x1b[%dH%s", y+1, line)
				}
				diff := compareScreens(term, oracle, m.Screen)
				c := term.cur
				x := c.x
				if c.pending {
					x = m.X // tmux reports a column beyond the edge
				}
				if x != m.X || c.y != m.Y {
					diff += fmt.Sprintf("cursor at %d,%d, want %d,%d\n", c.x, c.y, m.X, m.Y)
				}
				if term.credit < maxCredit/2 {
					t.Errorf("a program that draws has used up its credit for areas: %d cells are left", term.credit)
				}
				if shown := term.Cursor().Visible; shown != m.Shown {
					diff += fmt.Sprintf("cursor shown: %v, want %v\n", shown, m.Shown)
				}
				if alt := term.Modes().Alternate; alt != m.Alt {
					diff += fmt.Sprintf("alternate screen: %v, want %v\n", alt, m.Alt)
				}
				switch key := fmt.Sprintf("%s %d", r.Name, i); {
				case diff != "" && !known[key]:
					t.Errorf("screen %d, after %d bytes:\n%s", i, m.At, diff)
				case diff == "" && known[key]:
					t.Errorf("screen %d is equal now: remove it from differences.txt", i)
				}
			}
		})
	}
	t.Logf("%d screens compared, %d known differences", total, len(known))
}

// compareScreens returns the differences between two screens. After the end of a line in
// tmux's answer, only the text is compared, because the answer has no styles there.
func compareScreens(a, b *Terminal, answer string) string {
	lines := strings.Split(answer, "\n")
	var d strings.Builder
	for y := range a.rows {
		end := 0
		if y < len(lines) {
			plain := New(b.cols, 1)
			fmt.Fprint(plain, "\x1b)0\x1b[?7l", lines[y])
			end = plain.cur.x
			if plain.cur.pending {
				end = b.cols
			}
		}
		for x := range a.cols {
			ca, cb := a.Row(y)[x], b.Row(y)[x]
			ta, tb := a.CellText(ca), b.CellText(cb)
			sa, sb := a.Style(ca), b.Style(cb)
			if x >= end {
				sa, sb = Style{}, Style{}
			}
			if ta == " " {
				sa, sb = onBlank(sa), onBlank(sb)
			}
			sb.UnderlineColor = sa.UnderlineColor // not in the answer
			if ta != tb || sa != sb {
				fmt.Fprintf(&d, "at %d,%d: %q %v, want %q %v\n", x, y, ta, sa, tb, sb)
				if d.Len() > 1500 {
					return d.String() + "...\n"
				}
			}
		}
	}
	return d.String()
}

// onBlank returns the part of a style that is visible on a blank.
func onBlank(s Style) Style {
	if s.Attrs&Reverse == 0 && s.Underline == UnderlineNone && s.Attrs&Strike == 0 {
		s.Fg = 0
	}
	s.Attrs &= Reverse | Strike | Overline
	return s
}

// shown returns everything that is visible on a terminal.
func shown(t *Terminal) string {
	return fmt.Sprintf("%s\n--\n%s\n--\n%+v\n%+v\n%q", t.ANSI(), t.MainANSI(), t.Cursor(), t.Modes(), t.Title())
}

// TestSnapshotsOfPrograms continues every recording on a new terminal, from snapshots at
// quiet moments and at arbitrary offsets, and compares the final screens.
func TestSnapshotsOfPrograms(t *testing.T) {
	for _, r := range readCorpus(t) {
		t.Run(r.Name, func(t *testing.T) {
			for _, at := range []int{len(r.stream) / 7, r.Marks[len(r.Marks)/2].At, len(r.stream) * 5 / 7} {
				a := New(r.Cols, r.Rows, WithScrollback(1<<20))
				r.play(a, 0, at)
				b := New(a.cols, a.rows, WithScrollback(1<<20))
				b.Write(a.Snapshot(1 << 20))
				r.play(a, at, len(r.stream))
				r.play(b, at, len(r.stream))
				if d := cmp.Diff(shown(a), shown(b)); d != "" {
					t.Fatalf("snapshot at %d:\n%s", at, d)
				}
			}
		})
	}
}
