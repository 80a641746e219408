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
	"github.com/hobjobs/hob/internal/testtool"
)

// The holder answers and sends streams from different goroutines, so the first frames of a
// stream may be received before the answer.
func TestStreamFramesBeforeAnswer(t *testing.T) {
	here, there := net.Pipe()
	c := newClient(here)
	c.Hello = Hello{Min: ProtocolMin, Max: Protocol}
	c.wg.Go(c.read)
	defer c.Close()
	want := []Type{TypeControl, TypeSnapshot, TypeOutput, TypeOutput, TypeFacts, TypeOutput, TypeExit}
	answer := len(want) - 1 // sent before this frame
	go func() {
		defer there.Close()
		r := frameReader{r: there, max: maxInstruction}
		if f, err := r.next(); err != nil || f.Type != TypeAttach {
			t.Errorf("instruction %v, %v", f.Type, err)
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

// The caller may take the frames of a stream and send instructions in one goroutine: the answer comes
// after frames that nothing takes meanwhile.
func TestInstructionWhileFramesAreNotTaken(t *testing.T) {
	here, there := net.Pipe()
	c := newClient(here)
	c.Hello = Hello{Min: ProtocolMin, Max: Protocol}
	c.wg.Go(c.read)
	defer c.Close()
	const frames = 3 * inboxSize
	go func() {
		defer there.Close()
		r := frameReader{r: there, max: maxInstruction}
		for _, typ := range []Type{TypeAttach, TypeResize} {
			if f, err := r.next(); err != nil || f.Type != typ {
				t.Errorf("instruction %v, %v", f.Type, err)
				return
			}
			var b []byte
			for i := range frames {
				if typ == TypeResize {
					b = appendFrame(b, TypeOutput, []byte{byte(i)})
				}
			}
			if _, err := there.Write(appendFrame(b, TypeOK, nil)); err != nil {
				t.Error(err)
			}
		}
	}()
	if err := c.Stream(t.Context(), TypeAttach, Attach{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Do(ctx, TypeResize, record.Size{Cols: 80, Rows: 24}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range frames {
		if f, err := c.Next(ctx); err != nil || f.Type != TypeOutput || f.Payload[0] != byte(i) {
			t.Fatalf("frame %d is %v %q, %v", i, f.Type, f.Payload, err)
		}
	}
	if f, err := c.Next(ctx); !errors.Is(err, ErrNoSocket) {
		t.Errorf("after the end: %v, %v", f, err)
	}
}

// A stopped holder process accepts connections but sends no greeting.
func TestDialCanceledBeforeGreeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer there.Close()
		c := newClient(here)
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait() // until it waits for the greeting
			cancel()
		}()
		began := time.Now()
		if err := c.greet(ctx); err == nil || time.Since(began) != 0 {
			t.Errorf("greeted after %v: %v", time.Since(began), err)
		}
	})
}

// If a holder exits after its greeting because its job has ended, the error is that the job has
// ended, not a connection error.
func TestSessionWhenHolderExits(t *testing.T) {
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
	if _, err := NewRun(dir, record.Request{}, false).OpenTerminal(t.Context(), record.TerminalOptions{}); !errors.Is(err, record.ErrNotRunning) {
		t.Errorf("opened with %v, want %v", err, record.ErrNotRunning)
	}
	<-served
}

// A holder may hang after it has greeted a client. A request fails then, and one that takes long for another
// reason does not.
func TestInstructionToHangingHolder(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		hangs bool
		want  string
	}{
		"it hangs":                 {true, "its supervisor process does not answer"},
		"it answers after a while": {false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, path := t.TempDir(), filepath.Join(testtool.TempDir(t), "s")
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if err := jobdir.WriteState(dir, &record.State{Socket: path}); err != nil {
				t.Fatal(err)
			}
			lock, err := jobdir.Lock(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Close()
			go serveSlowly(l, tc.hangs)
			got := ""
			if _, err := NewRun(dir, record.Request{}, false).Screen(t.Context()); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("error %q, want %q", got, tc.want)
			}
		})
	}
}

// serveSlowly greets clients. It answers no request if hangs is set; otherwise it answers the first client once
// the second one has got its answer.
func serveSlowly(l net.Listener, hangs bool) {
	first, err := l.Accept()
	if err != nil {
		return
	}
	defer first.Close()
	hello := appendFrame(nil, TypeHello, Hello{Min: ProtocolMin, Max: Protocol}.encode())
	_, _ = first.Write(hello)
	for {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		if hangs {
			_, _ = nc.Write(hello)
			continue
		}
		greetOnce(nc)
		_, _ = first.Write(appendFrame(nil, TypeOK, nil))
	}
}

// greetOnce greets the client as a holder does and answers its first request.
func greetOnce(nc net.Conn) { greetWith(nc, Facts{}) }

func greetWith(nc net.Conn, facts Facts) {
	hello := Hello{Min: ProtocolMin, Max: Protocol}
	_, _ = nc.Write(appendFrame(appendFrame(nil, TypeHello, hello.encode()), TypeOK, encodeJSON(facts)))
}
