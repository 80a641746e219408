// Package readahead reads a stream ahead of its consumer, so that input arrives in large pieces
// where forwarding each piece takes a round trip to a host.
package readahead

import (
	"io"
	"time"
)

const (
	chunk = 32 << 10
	most  = 4 << 20 // bytes read ahead
)

// Reader reads a stream ahead, up to about 4 MiB. It must be used by one goroutine only.
type Reader struct {
	chunks chan []byte
	left   chan struct{} // closed when the consumer has left
	err    error         // of the stream, once chunks is closed
	rest   []byte
}

// New returns a Reader that reads r ahead until [Reader.Close]. Its goroutine cannot be waited for: it may block
// reading a terminal without input, and ends with r or the process then.
func New(r io.Reader) *Reader {
	a := &Reader{chunks: make(chan []byte, most/chunk), left: make(chan struct{})}
	go func() {
		defer close(a.chunks)
		for a.err == nil {
			p := make([]byte, chunk)
			var n int
			if n, a.err = r.Read(p); n > 0 {
				select {
				case a.chunks <- p[:n]:
				case <-a.left:
					return
				}
			}
		}
	}()
	return a
}

// Close stops reading ahead. The Reader must not be used afterwards.
func (a *Reader) Close() { close(a.left) }

// Read implements [io.Reader]. It waits for the first byte only.
func (a *Reader) Read(p []byte) (n int, err error) { return a.Gather(p, 0) }

// Gather is Read that also waits for more bytes, up to pause each time, until p is full.
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

// Next returns what arrives within pause; nil if nothing does, or at the end of the stream.
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
