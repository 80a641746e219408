package logview

import (
	"context"
	"regexp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
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

// filter selects the matching lines.
type filter struct {
	re    *regexp.Regexp
	tally tally
}

func (m *Model) filtered() *filter {
	if !m.only {
		return nil
	}
	return &filter{re: m.query.re, tally: m.query.tally.clone()}
}

// window reads the matching lines around off. head and tail report whether they include the first
// and the last matching line.
func (f *filter) window(ctx context.Context, src Source, off int64, before, after int) (lines []engine.Line, head, tail bool, err error) {
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
	for i := f.tally.next(f.tally.stretch(off), dir); i >= 0 && have < n; i = f.tally.next(i+dir, dir) {
		from, to := int64(i)*f.tally.stride, int64(i+1)*f.tally.stride
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
