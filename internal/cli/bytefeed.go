package cli

import (
	"bytes"
	"context"
	"io"

	"github.com/hobjobs/hob/engine"
)

// A byteFeed copies a log as it grows, byte for byte, and leaves out what the
// log's limit has dropped.
type byteFeed struct {
	log     *engine.Log
	taken   func(next int64) // called when all before next was copied; may be nil
	next    int64            // offset of the first byte not yet copied
	dropped int64            // bytes left out so far
	buf     []byte
}

// copyTo writes what there is from next on and returns at the log's end.
func (f *byteFeed) copyTo(ctx context.Context, w io.Writer) error {
	if f.buf == nil {
		f.buf = make([]byte, 128<<10)
	}
	for {
		size, err := f.log.Size(ctx)
		if err != nil {
			return err
		}
		if f.next >= size {
			return nil
		}
		end, err := f.skipHole(ctx, size)
		if err != nil {
			return err
		}
		for f.next < end {
			n, err := f.log.ReadAt(ctx, f.buf[:min(int64(len(f.buf)), end-f.next)], f.next)
			if n == 0 {
				if err == io.EOF {
					err = nil
				}
				return err
			}
			if at := f.next; bytes.IndexByte(f.buf[:n], 0) >= 0 {
				// It may have been freed while it was read.
				if end, err = f.skipHole(ctx, size); err != nil {
					return err
				}
				if f.next != at {
					continue
				}
			}
			f.next += int64(n)
			if _, err := w.Write(f.buf[:n]); err != nil {
				return err
			}
			if f.taken != nil {
				f.taken(f.next)
			}
		}
	}
}

// skipHole moves next behind a hole that it stands in and returns where the
// bytes behind it end: at the next hole or at size.
func (f *byteFeed) skipHole(ctx context.Context, size int64) (int64, error) {
	holes, err := f.log.Holes(ctx)
	if err != nil {
		return 0, err
	}
	end := size
	for _, h := range holes {
		if h.Start <= f.next && f.next < h.End {
			f.dropped += h.End - f.next
			f.next = h.End
		}
		if h.Start > f.next {
			end = min(end, h.Start)
		}
	}
	return end, nil
}
