package logfile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// holedLog is a log in memory whose hole reads as zeros. Its blocks are so small that lines span
// several of them, and reads return fewer bytes than requested.
type holedLog struct {
	data []byte
	hole Hole
}

func (h holedLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(h.data)) {
		return 0, io.EOF
	}
	n := copy(p[:(len(p)+1)/2], h.data[off:])
	for i := range n {
		if h.hole.Has(off + int64(i)) {
			p[i] = 0
		}
	}
	return n, nil
}

func (h holedLog) Size(context.Context) (int64, error) { return int64(len(h.data)), nil }
func (h holedLog) Hole(context.Context) (Hole, error)  { return h.hole, nil }
func (h holedLog) BlockSizes() (first, largest int)    { return 4, 16 }

// splitLines is a simple and slow implementation of the rules in the package comment.
func splitLines(h holedLog) []Line {
	size := int64(len(h.data))
	hole := h.hole
	if hole.Empty() || hole.Start >= size {
		hole = Hole{Start: size, End: size}
	}
	hole.End = min(hole.End, size)
	var lines []Line
	split := func(from, to, number int64) int64 {
		for from < to {
			end := to
			if i := bytes.IndexByte(h.data[from:to], '\n'); i >= 0 {
				end = from + int64(i) + 1
			}
			raw := h.data[from:end]
			l := Line{Number: number, Off: from, End: end, Open: raw[len(raw)-1] != '\n'}
			if from == hole.End && !hole.Empty() {
				raw = raw[ContinuationPrefix(raw):]
			}
			if end == hole.Start && !hole.Empty() {
				raw = raw[:len(raw)-IncompleteRune(raw)]
			}
			l.Text = renderAll(bytes.TrimSuffix(raw, lf), lineWidth)
			if l.Open {
				raw = raw[:len(raw)-IncompleteRune(raw)]
			}
			l.Raw = append(l.Raw, bytes.TrimSuffix(raw, lf)...)
			lines = append(lines, l)
			if !l.Open {
				number = advance(number, 1)
			}
			from = end
		}
		return number
	}
	uncounted := !hole.Empty() && hole.Lines < 0
	number := int64(0)
	if uncounted {
		number = unknown
	}
	number = split(0, hole.Start, number)
	if !hole.Empty() {
		lines = append(lines, Line{Number: unknown, Off: hole.Start, End: hole.End, Gap: hole.Len()})
		number = advance(number, hole.Lines)
	}
	if uncounted {
		number = 0
	}
	split(hole.End, size, number)
	return lines
}

func keep(lines []Line, q Query) []Line {
	var kept []Line
	for _, l := range lines {
		hit := func(p *Pattern) bool { return p.re.MatchString(l.Text) }
		if l.Gap > 0 || (q.Filter == nil || hit(q.Filter)) && (q.Exclude == nil || !hit(q.Exclude)) {
			kept = append(kept, l)
		}
	}
	return kept
}

// last returns the last n lines and the gaps between them.
func last(lines []Line, n int64) []Line {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Gap > 0 {
			continue
		}
		if n--; n == 0 {
			return lines[i:]
		}
	}
	return lines
}

// first returns the first n lines and the gaps between them.
func first(lines []Line, n int64) []Line {
	for i, l := range lines {
		if l.Gap > 0 {
			continue
		}
		if n--; n == 0 {
			return lines[:i+1]
		}
	}
	return lines
}

func collect(t *testing.T, read func(fn func(Line) error) error) []Line {
	t.Helper()
	var lines []Line
	if err := read(func(l Line) error { lines = append(lines, l); return nil }); err != nil {
		t.Fatal(err)
	}
	return lines
}

// checkWindows compares every window of a log with the result of splitLines.
func checkWindows(t *testing.T, h holedLog, q Query) {
	t.Helper()
	ctx := t.Context()
	all := splitLines(h)
	wanted := keep(all, q)
	diff := func(what string, want, got []Line) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s of %q, hole %v (-want +got):\n%s", what, h.data, h.hole, d)
		}
	}
	total := int64(0)
	for _, l := range all {
		if l.Gap == 0 {
			total = max(total, l.Number+1)
		}
	}
	if n, err := Count(ctx, h); err != nil || !endsInGap(all) && n != total {
		t.Fatalf("Count of %q, hole %v = %d, %v, want %d", h.data, h.hole, n, err, total)
	}

	q.Numbered = true
	for n := int64(0); n <= int64(len(wanted))+1; n++ {
		q.Limit = n
		want := wanted
		if n > 0 {
			want = last(wanted, n)
		}
		// If the log has fewer lines than requested, Tail starts at its beginning.
		diff(fmt.Sprintf("Tail(%d)", n), want, collect(t, func(fn func(Line) error) error { return Tail(ctx, h, q, fn) }))
	}
	for i, l := range all {
		q.Limit = 0
		got := collect(t, func(fn func(Line) error) error { return After(ctx, h, l.Off, beforeGap(all, i), q, fn) })
		diff(fmt.Sprintf("After(%d)", l.Off), keep(all[i:], q), got)
		q.Limit = 2
		if l.Gap == 0 {
			got = collect(t, func(fn func(Line) error) error { return Before(ctx, h, l.Off, q, fn) })
			diff(fmt.Sprintf("Before(%d)", l.Off), last(keep(all[:i], q), 2), got)
		}
	}
	for number := int64(0); number <= total; number++ {
		i := 0
		for i < len(all) && (all[i].Gap > 0 || all[i].Number < number) {
			i++
		}
		if i > 0 && all[i-1].Gap > 0 {
			behind := int64(0)
			if h.hole.Lines >= 0 {
				behind = numberBeforeGap(all, i-1) + h.hole.Lines
			}
			if number <= behind {
				i-- // From begins with the gap
			}
		}
		for _, limit := range []int64{0, 1} {
			q.Limit = limit
			want := keep(all[i:], q)
			if limit > 0 {
				want = first(want, limit)
			}
			got := collect(t, func(fn func(Line) error) error { return From(ctx, h, number, q, fn) })
			diff(fmt.Sprintf("From(%d) limit %d", number, limit), want, got)
		}
	}
}

// endsInGap reports whether a log ends with a gap, so that Count includes lines that were
// dropped.
func endsInGap(lines []Line) bool {
	return len(lines) > 0 && lines[len(lines)-1].Gap > 0
}

// beforeGap returns the number that a caller passes to continue at line i.
func beforeGap(lines []Line, i int) int64 {
	if lines[i].Gap > 0 {
		return numberBeforeGap(lines, i)
	}
	return lines[i].Number
}

// numberBeforeGap returns the number of the line in which the gap begins.
func numberBeforeGap(lines []Line, i int) int64 {
	if i == 0 {
		return 0
	}
	l := lines[i-1]
	return advance(l.Number, lineFeeds(!l.Open))
}

func TestWindows(t *testing.T) {
	long := strings.Repeat("0123456789", 5)
	logs := map[string]string{
		"empty":             "",
		"one line":          "one\n",
		"unfinished":        "one",
		"three":             "one\ntwo\nthree\n",
		"three, unfinished": "one\ntwo\nthree",
		"empty lines":       "\n\n\na\n\n",
		"long lines":        long + "\n" + long + "\nx\n" + long,
		"pty":               "one\r\n\x1b[1mtwo\x1b[m\r\n10%\r20%\r\nt\x1b[mwo\r\n",
		"sixteen":           "0123456789abcde\n0123456789abcde\nx",
		"many":              strings.Repeat("a\ntwo\n", 30),
		"wide":              strings.Repeat("語é", 20) + "\né語\n" + strings.Repeat("é語", 20),
	}
	holes := map[string]Hole{
		"no hole":        {},
		"counted":        {Start: 6, End: 13},
		"uncounted":      {Start: 6, End: 13, Lines: -1},
		"from the start": {Start: 0, End: 9},
		"to the end":     {Start: 5, End: 1000},
		"between lines":  {Start: 4, End: 8},
	}
	queries := map[string]Query{
		"all":     {},
		"filter":  {Filter: FromRegexp(regexp.MustCompile("two"))},
		"any":     {Filter: FromRegexp(regexp.MustCompile("[2t]"))},
		"exclude": {Exclude: FromRegexp(regexp.MustCompile("o"))},
		"both":    {Filter: FromRegexp(regexp.MustCompile("o")), Exclude: FromRegexp(regexp.MustCompile("^t"))},
	}
	for lname, log := range logs {
		for hname, hole := range holes {
			for qname, q := range queries {
				t.Run(lname+"/"+hname+"/"+qname, func(t *testing.T) {
					checkWindows(t, counted(log, hole), q)
				})
			}
		}
	}
}

// counted returns a log with the given hole, whose lines are counted unless hole.Lines is
// -1.
func counted(log string, hole Hole) holedLog {
	h := holedLog{data: []byte(log), hole: hole}
	if hole.Lines >= 0 {
		end := min(hole.End, int64(len(log)))
		h.hole.Lines = int64(strings.Count(log[min(hole.Start, end):end], "\n"))
	}
	return h
}

func FuzzWindows(f *testing.F) {
	f.Add("one\ntwo\nthree", uint8(0), uint8(0), false, "")
	f.Add(strings.Repeat("line\r\n", 20), uint8(7), uint8(40), true, "i")
	f.Add(strings.Repeat("x", 60)+"\nabc\ry\x1b[Kz\n", uint8(3), uint8(20), false, "z$")
	f.Fuzz(func(t *testing.T, log string, start, length uint8, uncounted bool, expr string) {
		if len(log) > 300 || strings.Contains(log, "\x00") {
			return // a zero byte is taken for a part of the hole
		}
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 20 {
			return
		}
		hole := Hole{Start: int64(start), End: int64(start) + int64(length)}
		if uncounted {
			hole.Lines = -1
		}
		h := counted(log, hole)
		checkWindows(t, h, Query{})
		checkWindows(t, h, Query{Filter: FromRegexp(re)})
		checkWindows(t, h, Query{Exclude: FromRegexp(re)})
	})
}
