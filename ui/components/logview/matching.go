package logview

import (
	"context"
	"regexp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine/joblog"
)

// SetMatchingOnly shows only matching lines, or all lines.
func (m *Model) SetMatchingOnly(on bool) tea.Cmd {
	if on && m.query.re == nil {
		return notice("No search yet: press " + m.keys.Search.Help().Key)
	}
	p := m.here()
	m.only = on
	return m.read(p)
}

// filter finds the matching lines of a search. Commands use it.
type filter struct {
	re        *regexp.Regexp
	stretches stretches
	done      bool // all matching lines are counted
}

func (m *Model) matches() *filter {
	t := m.query.stretches
	t.counts = slices.Clone(t.counts) // a command reads them
	return &filter{m.query.re, t, m.query.done}
}

// walked is the result of steps from match to match.
type walked struct {
	at      int64 // offset of the match
	rank    int64 // its number from 1; 0: unknown, -1: there is no match at that offset
	moved   bool  // there was a match to go to
	wrapped bool
	short   bool // there may be further matches, which are not counted yet
}

// walk goes n matches down from an offset, or up if n is negative. In a log of that size it wraps
// around once.
func (f *filter) walk(ctx context.Context, src Source, from int64, n int, size int64) (w walked, err error) {
	dir := 1
	if n < 0 {
		dir, n = -1, -n
	}
	for w.at = from; n > 0; {
		starts, err := f.starts(ctx, src, from+int64(dir), n, dir)
		if err != nil {
			return w, err
		}
		if k := len(starts); k > 0 {
			w.at, w.moved = starts[0], true
			if dir > 0 {
				w.at = starts[k-1]
			}
			n -= k
		}
		w.short = n > 0 && !f.done
		mayWrap := f.done && !w.wrapped
		if n == 0 || !mayWrap {
			break
		}
		w.wrapped, from = true, -1
		if dir < 0 {
			from = size + 1
		}
	}
	w.rank, err = f.rank(ctx, src, w.at)
	return w, err
}

// rank returns the number of the match at an offset, as in walked.
func (f *filter) rank(ctx context.Context, src Source, at int64) (int64, error) {
	if !f.done {
		return 0, nil
	}
	i := f.stretches.stretch(at)
	starts, err := startsIn(ctx, src, f.re, int64(i)*f.stretches.stride, int64(i+1)*f.stretches.stride)
	if n, ok := slices.BinarySearch(starts, at); ok {
		return f.stretches.before(i) + int64(n) + 1, err
	}
	return -1, err
}

// window reads the matching lines around off. head and tail report whether they include the first
// and the last matching line.
func (f *filter) window(ctx context.Context, src Source, off int64, before, after int) (lines []joblog.Line, head, tail bool, err error) {
	up, err := f.starts(ctx, src, off-1, before, -1)
	if err != nil {
		return nil, false, false, err
	}
	down, err := f.starts(ctx, src, off, after, 1)
	if err != nil {
		return nil, false, false, err
	}
	head, tail = len(up) < before, len(down) < after
	starts := append(up, down...)
	ask := 1 // number of lines to read at once; it grows while matching lines are adjacent
	for i := 0; i < len(starts); {
		found, err := src.Window(ctx, starts[i], 0, ask)
		if err != nil {
			return lines, false, false, err
		}
		if len(found) == 0 || found[0].Start != starts[i] { // the line was dropped in the meantime
			i++
			continue
		}
		took := 0
		for _, l := range found {
			if i == len(starts) || l.Start != starts[i] {
				break
			}
			l.Dropped = 0
			lines = append(lines, l)
			i++
			took++
		}
		if took == ask {
			ask = min(2*ask, 128)
		} else {
			ask = 1
		}
	}
	return lines, head, tail, nil
}

// starts returns the offsets of the nearest n matching lines: from off on, or with dir -1 up to
// off. They are in ascending order.
func (f *filter) starts(ctx context.Context, src Source, off int64, n, dir int) ([]int64, error) {
	var all [][]int64
	have := 0
	if off < 0 {
		return nil, nil
	}
	for i := f.stretches.next(f.stretches.stretch(off), dir); i >= 0 && have < n; i = f.stretches.next(i+dir, dir) {
		from, to := int64(i)*f.stretches.stride, int64(i+1)*f.stretches.stride
		if dir > 0 {
			from = max(from, off)
		} else {
			to = min(to, off+1)
		}
		some, err := startsIn(ctx, src, f.re, from, to)
		if err != nil {
			return nil, err
		}
		all = append(all, some)
		have += len(some)
	}
	if dir < 0 {
		slices.Reverse(all)
		starts := slices.Concat(all...)
		return starts[max(0, len(starts)-n):], nil
	}
	starts := slices.Concat(all...)
	return starts[:min(n, len(starts))], nil
}

// startsIn returns the offsets of the matching lines that begin in a range.
func startsIn(ctx context.Context, src Source, re *regexp.Regexp, from, to int64) ([]int64, error) {
	var starts []int64
	err := src.Matching(ctx, re, from, to, func(start, _ int64) bool {
		if start >= from {
			starts = append(starts, start)
		}
		return true
	})
	return starts, err
}

// stretches count the matching lines in each stretch of a log. They record how many there are and
// roughly where, in the same memory for a few matches and for millions. The zero value is empty.
type stretches struct {
	stride int64    // bytes per stretch
	counts []uint32 // number of matching lines that begin in each stretch
	total  int64
}

const (
	minStride    = 16
	maxStretches = 32 << 10 // 128 KiB
)

// grow makes room for a log of size bytes. The longer the log, the longer the stretches.
func (t *stretches) grow(size int64) {
	t.stride = max(t.stride, minStride)
	for size/t.stride >= maxStretches {
		for i := range (len(t.counts) + 1) / 2 {
			n := t.counts[2*i]
			if 2*i+1 < len(t.counts) {
				n += t.counts[2*i+1]
			}
			t.counts[i] = n
		}
		t.counts = t.counts[:(len(t.counts)+1)/2]
		t.stride *= 2
	}
}

// stretch returns the index of the stretch that contains an offset.
func (t *stretches) stretch(off int64) int { return int(max(0, off) / max(t.stride, minStride)) }

// add adds counts to the stretches starting at from.
func (t *stretches) add(from int, counts []uint32) {
	for len(t.counts) < from+len(counts) {
		t.counts = append(t.counts, 0)
	}
	for i, n := range counts {
		t.counts[from+i] += n
		t.total += int64(n)
	}
}

// remove subtracts one line.
func (t *stretches) remove(off int64) {
	if i := t.stretch(off); i < len(t.counts) && t.counts[i] > 0 {
		t.counts[i]--
		t.total--
	}
}

// before returns the number of matching lines in the stretches before i.
func (t *stretches) before(i int) int64 {
	n := int64(0)
	for _, c := range t.counts[:min(i, len(t.counts))] {
		n += int64(c)
	}
	return n
}

// next returns the first stretch with matching lines from i on, in direction dir, or -1.
func (t *stretches) next(i, dir int) int {
	if dir < 0 {
		i = min(i, len(t.counts)-1)
	}
	for ; i >= 0 && i < len(t.counts); i += dir {
		if t.counts[i] > 0 {
			return i
		}
	}
	return -1
}

// rows reports which rows of a column of height h, which represents size bytes, have matching
// lines.
func (t *stretches) rows(size int64, h int) []bool {
	rows := make([]bool, h)
	if size <= 0 {
		return rows
	}
	for i, n := range t.counts {
		if n > 0 {
			rows[min(int64(h)-1, int64(i)*t.stride*int64(h)/size)] = true
		}
	}
	return rows
}
