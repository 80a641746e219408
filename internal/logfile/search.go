package logfile

import "context"

// Matching calls fn with the range of each line that p matches, in order, from
// the line on that the byte at from belongs to, among those that begin before
// to, until fn returns false. No text is made of them: it is how a reader finds
// its way among very many.
func Matching(ctx context.Context, src Source, p *Pattern, from, to int64, fn func(off, end int64) bool) error {
	start, err := LineStart(ctx, src, from)
	if err != nil {
		return err
	}
	return newScanner(src, Query{Filter: p}).forward(ctx, start, to, unknown, func(f found) error {
		if f.gap == 0 && !fn(f.off, f.end) {
			return errStop
		}
		return nil
	})
}
