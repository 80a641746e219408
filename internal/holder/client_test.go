package holder

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// The holder sends from another goroutine than the one that answers: a stream may
// begin before the instruction that asked for it is answered.
func TestStreamThatBeginsBeforeItsAnswer(t *testing.T) {
	here, there := net.Pipe()
	c := &Client{
		Hello: Hello{Min: ProtocolMin, Max: Protocol},
		nc:    here, r: frameReader{r: here, max: maxData}, down: make(chan struct{}),
	}
	defer c.Close()
	want := []Type{TypeControl, TypeSnapshot, TypeOutput, TypeOutput, TypeFacts, TypeOutput, TypeExit}
	answer := len(want) - 1 // comes before that one
	go func() {
		defer there.Close()
		r := frameReader{r: there, max: maxInstruction}
		if f, err := r.next(); err != nil || f.Type != TypeAttach {
			t.Errorf("asked for %v, %v", f.Type, err)
			return
		}
		var b []byte
		for i, typ := range want {
			if i == answer {
				b = appendFrame(b, TypeOK, nil)
			}
			b = appendFrame(b, typ, []byte{byte(i)})
		}
		if _, err := there.Write(b); err != nil {
			t.Error(err)
		}
	}()
	if err := c.Stream(t.Context(), TypeAttach, Attach{}); err != nil {
		t.Fatal(err)
	}
	for i, typ := range want {
		f, err := c.Next(t.Context())
		if err != nil || f.Type != typ || f.Payload[0] != byte(i) {
			t.Fatalf("frame %d is %v %q, %v; want %v", i, f.Type, f.Payload, err, typ)
		}
	}
}

// A holder that is stopped accepts connections and greets nobody.
func TestCancelledBeforeTheGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer there.Close()
		c := &Client{nc: here, r: frameReader{r: here, max: maxData}, down: make(chan struct{})}
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait() // it is waited for the greeting
			cancel()
		}()
		began := time.Now()
		if err := c.greet(ctx); err == nil || time.Since(began) != 0 {
			t.Errorf("greeted after %v: %v", time.Since(began), err)
		}
	})
}

// A holder greets, and goes since its job has ended, before it reads what it is
// asked: that is the job's end and no trouble with the connection.
func TestSessionOfAHolderThatGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := jobdir.WriteState(dir, &record.State{Socket: path}); err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		nc, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := nc.Write(appendFrame(nil, TypeHello, Hello{Min: ProtocolMin, Max: Protocol}.encode())); err != nil {
			t.Error(err)
		}
		nc.Close()
	}()
	if _, err := openSession(t.Context(), dir, Attach{}); !errors.Is(err, record.ErrNotRunning) {
		t.Errorf("opened with %v, want %v", err, record.ErrNotRunning)
	}
	<-served
}
