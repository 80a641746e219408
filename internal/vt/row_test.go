package vt

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever a row stores, its cells are those of a row that stores all of them.
func TestRowIsLikeOneOfPlainCells(t *testing.T) {
	const cols = 12
	blanks := []Cell{{}, {bg: Indexed(3)}}
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := newRows(cols, 1)[0]
		want := make([]Cell, cols)
		for range 30 {
			x, n := rnd.IntN(cols), 1+rnd.IntN(cols)
			end := x + 1 + rnd.IntN(cols-x)
			if rnd.IntN(2) == 0 {
				end = cols
			}
			cell := blanks[rnd.IntN(2)]
			if rnd.IntN(3) == 0 {
				cell.ch = 'E'
			}
			blank := blanks[rnd.IntN(2)]
			switch rnd.IntN(7) {
			case 0:
				r.become(cell)
				fillCells(want, cell)
			case 1:
				r.becomeFrom(x, cell)
				fillCells(want[x:], cell)
			case 2:
				r.store(n)
			case 3:
				r.all()[x] = cell
				want[x] = cell
			case 4:
				r.insert(x, end, n, blank)
				want = slices.Concat(want[:x], slices.Repeat([]Cell{blank}, min(n, end-x)), want[x:end-min(n, end-x)], want[end:])
			case 5:
				r.remove(x, end, n, blank)
				want = slices.Concat(want[:x], want[x+min(n, end-x):end], slices.Repeat([]Cell{blank}, min(n, end-x)), want[end:])
			case 6:
				if got := r.trimmed(); !slices.Equal(got, trimBlank(want)) {
					t.Fatalf("seed %d: trimmed %v, want %v", seed, got, trimBlank(want))
				}
			}
			for x, c := range want {
				if got := r.at(x); got != c {
					t.Fatalf("seed %d: cell %d is %v, want %v", seed, x, got, c)
				}
			}
		}
		if !slices.Equal(r.all(), want) {
			t.Fatalf("seed %d: %v, want %v", seed, r.all(), want)
		}
	}
}
