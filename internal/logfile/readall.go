package logfile

import (
	"context"
	"slices"
)

// ReadAll reads from off to end. It skips the hole, and the partial characters at its edges; next
// is the offset after the last byte read.
func ReadAll(ctx context.Context, src Source, off, end int64) (p []byte, next int64, err error) {
	for off < end {
		p = slices.Grow(p, int(min(end-off, readChunk)))
		free := p[len(p):cap(p)]
		piece, err := Read(ctx, src, free[:min(int64(len(free)), end-off)], off)
		if err != nil {
			return p, off, err
		}
		if piece.N == 0 {
			break
		}
		got := free[:piece.N]
		if piece.Dropped > 0 {
			p, got = p[:len(p)-IncompleteRune(p)], got[ContinuationPrefix(got):]
		}
		p = append(p, got...)
		off = piece.Next()
	}
	return p, off, nil
}

const readChunk = 64 << 10
