package cli

import "io"

// mostAtOnce is how much input is passed on at once: on a host that is far away each
// time costs a round trip.
const mostAtOnce = 256 << 10

// ahead is a reader that goes on reading while what it gave out is being used, and
// then gives out all of that at once.
type ahead struct {
	chunks chan []byte
	rest   []byte
	err    error // set before chunks is closed
}

// readAhead reads r ahead, up to about [mostAtOnce]. Its goroutine cannot be waited for:
// it may sit in a read of a terminal that nothing is typed into, and ends with r or the
// process.
func readAhead(r io.Reader) io.Reader {
	const chunk = 32 << 10
	a := &ahead{chunks: make(chan []byte, mostAtOnce/chunk)}
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

// Read implements [io.Reader].
func (a *ahead) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(a.rest) == 0 && !a.more(n == 0) {
			break
		}
		m := copy(p[n:], a.rest)
		n, a.rest = n+m, a.rest[m:]
	}
	if n == 0 && len(p) > 0 {
		return 0, a.err
	}
	return n, nil
}

// more takes the next chunk, and waits for it if need be. It returns false where there
// is none.
func (a *ahead) more(wait bool) (ok bool) {
	if wait {
		a.rest, ok = <-a.chunks
		return ok
	}
	select {
	case a.rest, ok = <-a.chunks:
	default:
	}
	return ok
}
