// Package readahead reads a stream before somebody asks for it, so that input comes in
// large pieces where to pass on each takes a round trip to a host.
package readahead

import (
	"io"
	"time"
)

const (
	chunk = 32 << 10
	most  = 4 << 20 // read ahead
)

// Reader is a stream that is read ahead, up to about 4 MiB. It is for one goroutine.
type Reader struct {
	chunks chan []byte
	err    error // of the stream, once chunks is closed
	rest   []byte
}

// New returns r read ahead. Its goroutine cannot be waited for: it may sit in a read of a
// terminal that nothing is typed into, and ends with r or the process.
func New(r io.Reader) *Reader {
	a := &Reader{chunks: make(chan []byte, most/chunk)}
	go func() {
		for a.err == nil {
			p := make([]byte, chunk)
			var n int
			if n, a.err = r.Read(p); n > 0 {
				a.chunks <- p[:n]
			}
		}
		close(a.chunks)
	}()
	return a
}

// Read implements [io.Reader]. It waits for the first byte alone.
func (a *Reader) Read(p []byte) (n int, err error) { return a.Gather(p, 0) }

// Gather is Read that waits for more bytes too, for pause each time, until p is full.
func (a *Reader) Gather(p []byte, pause time.Duration) (n int, err error) {
	if a.rest == nil {
		a.rest = <-a.chunks
	}
	for n < len(p) && a.rest != nil {
		m := copy(p[n:], a.rest)
		n, a.rest = n+m, a.rest[m:]
		if len(a.rest) == 0 {
			a.rest = nil
			if n < len(p) {
				a.rest = a.Next(pause)
			}
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, a.err
	}
	return n, nil
}

// Next is what comes next within pause; nil where nothing does, or at the end of the stream.
func (a *Reader) Next(pause time.Duration) []byte {
	if p := a.rest; p != nil {
		a.rest = nil
		return p
	}
	select {
	case p := <-a.chunks:
		return p
	default:
	}
	if pause == 0 {
		return nil
	}
	select {
	case p := <-a.chunks:
		return p
	case <-time.After(pause):
		return nil
	}
}
