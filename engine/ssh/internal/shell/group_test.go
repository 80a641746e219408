package shell

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestGroup(t *testing.T) {
	var g Group
	var running atomic.Int32
	var starters sync.WaitGroup
	for range 50 {
		starters.Go(func() {
			g.Go(func() {
				running.Add(1)
				defer running.Add(-1)
			})
		})
	}
	g.Close()
	if n := running.Load(); n != 0 {
		t.Errorf("%d still run", n)
	}
	starters.Wait()
	if g.Go(func() { t.Error("one began after Close") }) {
		t.Error("it reports that one began after Close")
	}
	g.Close()
}

// A channel opened while the transport closes is closed, or is not opened.
func TestOpenWhileItCloses(t *testing.T) {
	for range 20 {
		l := NewLocal("sh", nil)
		var openers sync.WaitGroup
		begun := make(chan struct{}, 4)
		for range cap(begun) {
			openers.Go(func() {
				begun <- struct{}{}
				if ch, err := l.Open(t.Context()); err == nil {
					ch.Close()
				}
			})
		}
		for range cap(begun) {
			<-begun
		}
		l.Close()
		openers.Wait()
		if _, err := l.Open(t.Context()); err == nil {
			t.Fatal("opened after Close")
		}
	}
}
