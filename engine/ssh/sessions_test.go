//go:build unix

package ssh

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// A program that only starts a job opens one session: each costs round trips, and a start of the
// login shell. While a caller waits for looks, the start has its own session.
func TestStartSharesTheSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	sessions := func() (n [conn.Classes]int) {
		h := r.b.host("box")
		h.mu.Lock()
		p := h.conn
		h.mu.Unlock()
		for class := range conn.Classes {
			n[class], _ = p.Load(class)
		}
		return n
	}
	r.wait(r.start("true").ID) // the first also sweeps
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if notes, err := filepath.Glob(filepath.Join(r.remote, "jobs", ".swept-*")); err != nil || len(notes) == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the host is not swept")
		}
	}
	r.e.Close()
	r.open()
	j := r.start("true")
	if n := sessions(); n[quick] != 1 || n[slow] != 0 {
		t.Errorf("after a start: %v sessions of each kind", n)
	}
	r.wait(j.ID)
	h := r.b.host("box")
	w := h.watch(engine.Record{ID: "other", Dir: filepath.Join(r.state, "no record"), Job: engine.Job{Request: engine.Request{Host: "box"}}})
	defer h.unwatch(w)
	r.wait(r.start("true").ID)
	if n := sessions(); n[slow] != 1 {
		t.Errorf("after a start beside a watcher: %v sessions of each kind", n)
	}
}

// slowTransport opens its second channel only when it may.
type slowTransport struct {
	shell.Transport
	opened  atomic.Int32
	asked   chan struct{} // closed when the second channel is asked for
	allowed chan struct{}
}

func (s *slowTransport) Open(ctx context.Context) (shell.Channel, error) {
	if s.opened.Add(1) == 2 {
		close(s.asked)
		<-s.allowed
	}
	return s.Transport.Open(ctx)
}

func TestSessionOfOneClassDoesNotWaitForAnother(t *testing.T) {
	r := newRig(t, nil)
	r.wait(r.start("true").ID)
	h := r.b.host("box")
	h.mu.Lock()
	tr := &slowTransport{Transport: h.conn.Transport, asked: make(chan struct{}), allowed: make(chan struct{})}
	h.mu.Unlock()
	p := newConn(tr, "box")
	defer p.Shut()
	if _, err := p.Do(t.Context(), quick, "true", patient); err != nil {
		t.Fatal(err)
	}
	var opening sync.WaitGroup
	opening.Go(func() {
		if _, err := p.Do(t.Context(), bulk, "true", patient); err != nil {
			t.Error(err)
		}
	})
	<-tr.asked
	if _, err := p.Do(t.Context(), slow, "true", patient); err != nil {
		t.Error(err)
	}
	close(tr.allowed)
	opening.Wait()
}
