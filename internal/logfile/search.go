package logfile

import (
	"context"
	"runtime"
	"sync"
)

// Matching calls fn with the range of each line that p matches, in order, from
// the line on that the byte at from belongs to, among those that begin before
// to, until fn returns false. No text is made of them: it is how a reader finds
// its way among very many.
func Matching(ctx context.Context, src Source, p *Pattern, from, to int64, fn func(off, end int64) bool) error {
	start, err := LineStart(ctx, src, from)
	if err != nil {
		return err
	}
	return matching(ctx, src, p, start, to, fn)
}

// MatchingOnTwo is Matching for a source that is quick to read: a long range is
// looked at by two processors, which may read what fn then has no need of. fn is
// called by the caller's goroutine alone.
func MatchingOnTwo(ctx context.Context, src Source, p *Pattern, from, to int64, fn func(off, end int64) bool) error {
	size, err := src.Size(ctx)
	if err != nil {
		return err
	}
	if min(to, size)-from < worthTwo || runtime.GOMAXPROCS(0) < 2 {
		return Matching(ctx, src, p, from, to, fn)
	}
	start, err := LineStart(ctx, src, from)
	if err != nil {
		return err
	}
	middle, err := LineStart(ctx, src, from+(min(to, size)-from)/2)
	if err != nil {
		return err
	}
	if middle <= start { // one long line
		return matching(ctx, src, p, start, to, fn)
	}
	return matchingInHalves(ctx, src, p, start, middle, to, fn)
}

// worthTwo is from how many bytes on a second goroutine is worth its start.
const worthTwo = 4 << 20

// matching is Matching for the lines from the one that begins at start.
func matching(ctx context.Context, src Source, p *Pattern, start, to int64, fn func(off, end int64) bool) error {
	return newScanner(src, Query{Filter: p}).forward(ctx, start, to, unknown, func(f found) error {
		if f.gap == 0 && !fn(f.off, f.end) {
			return errStop
		}
		return nil
	})
}

// What the second half has found ahead of the first is handed over in so many
// batches of so many lines at most, then it waits: 2 MiB.
const (
	aheadBatches = 32
	aheadLines   = 4096
)

// matchingInHalves is matching with a goroutine of its own for what begins at
// middle, where a line begins. The goroutine has ended when it returns.
func matchingInHalves(ctx context.Context, src Source, p *Pattern, start, middle, to int64, fn func(off, end int64) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	ahead := make(chan [][2]int64, aheadBatches)
	var failed error // valid once ahead is closed
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	work.Go(func() {
		defer close(ahead)
		var batch [][2]int64
		hand := func() bool {
			select {
			case ahead <- batch:
				batch = nil
				return true
			case <-ctx.Done():
				return false
			}
		}
		failed = matching(ctx, src, p, middle, to, func(off, end int64) bool {
			batch = append(batch, [2]int64{off, end})
			return len(batch) < aheadLines || hand()
		})
		if failed == nil && len(batch) > 0 {
			hand()
		}
	})
	more := true
	err := matching(ctx, src, p, start, middle, func(off, end int64) bool {
		more = fn(off, end)
		return more
	})
	if err != nil || !more {
		return err
	}
	for batch := range ahead {
		for _, line := range batch {
			if !fn(line[0], line[1]) {
				return nil
			}
		}
	}
	if failed == nil {
		failed = ctx.Err() // what it had found last may not have been handed over
	}
	return failed
}
