package logfile

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// newSmallIndex returns an index with many marks in short logs.
func newSmallIndex() *Index { return &Index{stride: 4} }

func extendAll(t *testing.T, x *Index, src Source) {
	t.Helper()
	for done := false; !done; {
		var err error
		if done, err = x.Extend(t.Context(), src, 7); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIndexAgreesWithCount(t *testing.T) {
	logs := map[string]holedLog{
		"empty":      {},
		"lines":      {data: []byte(strings.Repeat("a\nlonger line\n\n", 8))},
		"unfinished": {data: []byte("one\ntwo\nthree")},
		"one long":   {data: []byte(strings.Repeat("x", 90))},
		"hole":       counted(strings.Repeat("a\nlonger line\n\n", 8), Hole{Start: 9, End: 50}),
		"uncounted":  counted(strings.Repeat("a\nlonger line\n\n", 8), Hole{Start: 9, End: 50, Lines: -1}),
		"odd hole":   counted(strings.Repeat("ab\n", 40), Hole{Start: 10, End: 63}),
	}
	for name, log := range logs {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			x := newSmallIndex()
			extendAll(t, x, log)
			if n, upTo := x.Lines(); upTo != int64(len(log.data)) {
				t.Errorf("counted up to %d of %d", upTo, len(log.data))
			} else if want, err := Count(ctx, log); err != nil || n != want {
				t.Errorf("%d lines, Count returns %d (%v)", n, want, err)
			}
			for _, l := range splitLines(log) {
				if l.Gap > 0 {
					continue
				}
				for off := l.Off; off < l.End; off++ {
					if n, err := x.Number(ctx, log, off); err != nil || n != l.Number {
						t.Errorf("Number(%d) = %d, %v, want %d", off, n, err, l.Number)
					}
				}
			}
			n, _ := x.Lines()
			for number := range n {
				wantOff, wantAt, _, err := find(ctx, log, number)
				if err != nil {
					t.Fatal(err)
				}
				off, at, ok, err := x.Offset(ctx, log, number)
				if err != nil || !ok {
					t.Fatalf("Offset(%d): %v, %v", number, ok, err)
				}
				if wantOff == log.hole.Start && !log.hole.Empty() {
					wantAt = unknown
				}
				if log.hole.Lines < 0 && number == 0 {
					wantOff, wantAt = log.hole.End, 0 // a pane has shown the gap above it
				}
				if off != wantOff || at != wantAt {
					t.Errorf("Offset(%d) = %d, %d, want %d, %d", number, off, at, wantOff, wantAt)
				}
			}
			if _, _, ok, err := x.Offset(ctx, log, n+1); ok || err != nil {
				t.Errorf("Offset after the end: %v, %v", ok, err)
			}
		})
	}
}

// Indexed lines keep their numbers when earlier lines are dropped.
func TestIndexWithGrowingHole(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	log := holedLog{data: []byte(b.String())}
	whole := splitLines(log)
	x := newSmallIndex()
	extendAll(t, x, log)
	log.hole = Hole{Start: 20, End: 333, Lines: -1}
	for _, l := range whole {
		if l.Off < log.hole.End && l.Off >= log.hole.Start {
			continue
		}
		if n, err := x.Number(t.Context(), log, l.Off); err != nil || n != l.Number {
			t.Errorf("Number(%d) = %d, %v, want %d", l.Off, n, err, l.Number)
		}
		off, at, ok, err := x.Offset(t.Context(), log, l.Number)
		if err != nil || !ok || off != l.Off || at != l.Number {
			t.Errorf("Offset(%d) = %d, %d, %v, %v, want %d", l.Number, off, at, ok, err, l.Off)
		}
	}
	if off, at, ok, err := x.Offset(t.Context(), log, 20); err != nil || !ok || off != 20 || at != unknown {
		t.Errorf("Offset of a dropped line = %d, %d, %v, %v, want the hole", off, at, ok, err)
	}
}

func TestIndexIsBounded(t *testing.T) {
	x := &Index{stride: 2}
	log := memoryLog(strings.Repeat("a\n", 100_000))
	if _, err := x.Extend(t.Context(), log, 0); err != nil {
		t.Fatal(err)
	}
	if len(x.marks) >= indexMarks {
		t.Errorf("%d marks, at most %d", len(x.marks), indexMarks)
	}
	for _, number := range []int64{0, 1, 49_999, 99_999} {
		if off, _, ok, err := x.Offset(context.Background(), log, number); err != nil || !ok || off != 2*number {
			t.Errorf("Offset(%d) = %d, %v, %v", number, off, ok, err)
		}
	}
}

func TestLineStart(t *testing.T) {
	log := holedLog{data: []byte("one\n" + strings.Repeat("x", 40) + "\nthree\n"), hole: Hole{Start: 10, End: 20}}
	for off, want := range map[int64]int64{0: 0, 3: 0, 4: 4, 9: 4, 10: 10, 15: 10, 20: 20, 44: 20, 45: 45, 50: 45, 51: 51, 99: 51} {
		if got, err := LineStart(t.Context(), log, off); err != nil || got != want {
			t.Errorf("LineStart(%d) = %d, %v, want %d", off, got, err, want)
		}
	}
	for text, want := range map[string]int64{"": 0, "one": 0, "one\n": 4, "one\ntwo": 4} {
		if got, err := LineStart(t.Context(), memoryLog(text), int64(len(text))); err != nil || got != want {
			t.Errorf("at the end of %q: %d, %v, want %d", text, got, err, want)
		}
	}
}
