//go:build unix

package campaign

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// proxy is a bad network between a client and a server. TCP repairs loss and reordering, so proxy
// simulates their remaining effects: bytes arrive late, in other pieces than they were sent in, and
// occasionally all of them wait for one.
type proxy struct {
	Addr string

	to    string
	delay time.Duration
	piece int
	loss  float64
	wait  time.Duration
	ln    net.Listener
	wg    sync.WaitGroup
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// network describes a bad network.
type network struct {
	Delay time.Duration // delay of every byte, in each direction
	Piece int           // maximum number of bytes that arrive together
	Loss  float64       // fraction of the pieces that are lost and sent again
	Wait  time.Duration // additional delay of a lost piece, and of all data after it
}

// newProxy starts a proxy with the properties of n for the server at address to. It ends with the
// test.
func newProxy(t testing.TB, to string, n network) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{
		Addr: ln.Addr().String(), to: to, delay: n.Delay, piece: n.Piece, loss: n.Loss, wait: n.Wait,
		ln: ln, conns: map[net.Conn]struct{}{},
	}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		ln.Close()
		p.mu.Lock()
		for c := range p.conns {
			c.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		here, err := p.ln.Accept()
		if err != nil {
			return
		}
		there, err := net.Dial("tcp", p.to)
		if err != nil {
			here.Close()
			continue
		}
		p.mu.Lock()
		p.conns[here], p.conns[there] = struct{}{}, struct{}{}
		p.mu.Unlock()
		p.wg.Go(func() { p.carry(there, here) })
		p.wg.Go(func() { p.carry(here, there) })
	}
}

// carry copies bytes from src to dst until one of them is closed, then closes both.
func (p *proxy) carry(dst, src net.Conn) {
	type parcel struct {
		due  time.Time
		data []byte
	}
	onTheWay := make(chan parcel, 1<<12)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(onTheWay)
		for due := time.Now(); ; {
			data := make([]byte, p.piece)
			n, err := src.Read(data)
			if n > 0 {
				if at := time.Now().Add(p.delay); at.After(due) {
					due = at
				}
				if rand.Float64() < p.loss {
					due = due.Add(p.wait) // later data is not due earlier
				}
				onTheWay <- parcel{due, data[:n]}
			}
			if err != nil {
				return
			}
		}
	})
	for next := range onTheWay {
		time.Sleep(time.Until(next.due))
		if _, err := dst.Write(next.data); err != nil {
			break
		}
	}
	dst.Close()
	src.Close()
	for range onTheWay { // unblock the reader
	}
	reading.Wait()
}
