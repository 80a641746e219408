package client

import (
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
)

// quiet is a connection to a host that answers nothing any more.
type quiet struct {
	ssh.Conn
	once   sync.Once
	closed chan struct{}
	asked  atomic.Int32
}

func (q *quiet) Close() error {
	q.once.Do(func() { close(q.closed) })
	return nil
}

func (q *quiet) Wait() error {
	<-q.closed
	return errors.New("closed")
}

func (q *quiet) SendRequest(string, bool, []byte) (bool, []byte, error) {
	q.asked.Add(1)
	<-q.closed
	return false, nil, errors.New("closed")
}

// OpenChannel notices that the host has closed the connection.
func (q *quiet) OpenChannel(string, []byte) (ssh.Channel, <-chan *ssh.Request, error) {
	q.Close()
	return nil, nil, errors.New("unexpected packet in response to channel open: <nil>")
}

// line is what a quiet connection goes over.
type line struct {
	net.Conn
	*quiet
}

func (line) Read(p []byte) (int, error) { return len(p), nil }
func (l line) Close() error             { return l.quiet.Close() }

func TestSilenceIsNoticedInTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		every time.Duration // 0: nothing is configured
		most  int
		heard time.Duration // for the last time after that long
		want  time.Duration // from then on
	}{
		{"from the beginning", 0, 0, 0, 45 * time.Second},
		{"just after a look", 0, 0, 15*time.Second + 1, 45 * time.Second},
		{"just before a look", 0, 0, 30*time.Second - 1, 45 * time.Second},
		{"as configured", 7 * time.Second, 2, 10 * time.Second, 14 * time.Second},
		{"without a second question", 5 * time.Second, 1, 3 * time.Second, 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := &quiet{closed: make(chan struct{})}
				channels, requests := make(chan ssh.NewChannel), make(chan *ssh.Request)
				defer close(channels)
				defer close(requests)
				tr := newTransport(&Transport{
					client: ssh.NewClient(q, channels, requests), conn: newCounted(line{quiet: q}),
					Config: &hostconf.Config{Alive: c.every, AliveMax: c.most},
				})
				defer tr.Close()
				time.Sleep(c.heard)
				if c.heard > 0 {
					tr.conn.Read(make([]byte, 1))
				}
				last := time.Now()
				<-tr.Done()
				if took := time.Since(last); took != c.want || !strings.Contains(tr.Err().Error(), "no response from the host") {
					t.Errorf("noticed after %s, want %s: %v", took, c.want, tr.Err())
				}
				if n := q.asked.Load(); n != 1 {
					t.Errorf("the host was asked %d times", n)
				}
			})
		})
	}
}

// A request may notice that the connection has ended before its watcher does.
func TestOpenSaysWhyTheConnectionEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &quiet{closed: make(chan struct{})}
		channels, requests := make(chan ssh.NewChannel), make(chan *ssh.Request)
		defer close(channels)
		defer close(requests)
		tr := newTransport(&Transport{client: ssh.NewClient(q, channels, requests), Config: &hostconf.Config{}})
		defer tr.Close()
		if _, err := tr.Open(t.Context()); err == nil || err.Error() != "closed" {
			t.Errorf("Open returned %v", err)
		}
	})
}
