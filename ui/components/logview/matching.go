package logview

import (
	"context"
	"regexp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// SetMatchingOnly shows only the lines that match, or all.
func (m *Model) SetMatchingOnly(on bool) tea.Cmd {
	if on && m.query.re == nil {
		return notice("nothing to match: search with / first")
	}
	p := m.here()
	m.only, m.dirty = on, true
	return m.read(p)
}

// filter is the lines to show when it is not all of them.
type filter struct {
	re    *regexp.Regexp
	tally tally
}

func (m *Model) filtered() *filter {
	if !m.only {
		return nil
	}
	return &filter{re: m.query.re, tally: m.query.tally.copied()}
}

// window reads the matching lines around off. head and tail report that they
// begin with the first of all, and end with the last.
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
	ask := 1 // lines that follow each other are read together
	for i := 0; i < len(starts); {
		found, err := src.Window(ctx, starts[i], 0, ask)
		if err != nil {
			return lines, false, false, err
		}
		if len(found) == 0 || found[0].Start != starts[i] { // dropped since
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

// starts is where the nearest n matching lines begin: from off on, or with dir -1
// up to off. They are in the order of the log.
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

// startsIn is where the matching lines that begin in a range do so.
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
