//go:build linux || darwin

package holder

import (
	"encoding/json"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

func TestSubscriberSetsPace(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{})
	c := dialed(t, h)
	begin := time.Now()
	if err := c.Stream(t.Context(), TypeSubscribe, Subscribe{PaceMS: factsRest.Milliseconds()}); err != nil {
		t.Fatal(err)
	}
	until := func(what string, done func(Facts) bool) (frames int) {
		t.Helper()
		for {
			f, err := c.Next(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			var facts Facts
			if err := json.Unmarshal(f.Payload, &facts); err != nil {
				t.Fatal(err)
			}
			if frames++; done(facts) {
				return frames
			}
		}
	}
	until("the first facts", func(f Facts) bool { return f.State != nil })
	for range 100 {
		h.Output([]byte("0123456789"))
	}
	h.Background()
	frames := until("an urgent fact", func(f Facts) bool { return f.State != nil && f.State.Backgrounded })
	if most := 1 + int(time.Since(begin)/factsRest); frames > most {
		t.Errorf("%d frames of facts in %v", frames, time.Since(begin))
	}
	h.Output([]byte("0123456789"))
	paced := make(chan error, 1)
	go func() { paced <- c.Do(t.Context(), TypeSubscribe, Subscribe{}, nil) }()
	until("what waited for a slower pace", func(f Facts) bool { return f.Output == h.Offset() })
	if err := <-paced; err != nil {
		t.Errorf("change the pace: %v", err)
	}
	if err := c.Do(t.Context(), TypeStatus, nil, nil); err != nil {
		t.Errorf("an instruction after that: %v", err)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHeld(t, Config{Terminal: true, Meta: jobdir.Meta{Request: record.Request{InitialSize: record.Size{Cols: 80, Rows: 24}}}})
	ask := func(what string) {
		t.Helper()
		c, err := Dial(t.Context(), h.cfg.Dir)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		defer c.Close()
		if err := c.Do(t.Context(), TypeScreen, nil, nil); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	count := func() int {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.conns)
	}
	// Clients that watch without reading.
	full := false
	for range maxConns {
		c := dialed(t, h)
		typ := TypeSubscribe
		var payload any = Subscribe{}
		if count()%2 == 0 {
			typ, payload = TypeAttach, Attach{}
		}
		if err := c.Stream(t.Context(), typ, payload); errors.Is(err, ErrNoSocket) {
			full = true
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if !full {
		t.Error("the number of watching clients is not limited")
	}
	ask("beside those that watch")
	// Clients without instructions.
	for range 2 * maxConns {
		c, err := net.Dial("unix", h.State().Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		// One after the other, because the backlog of the socket is short.
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		r := frameReader{r: c, max: maxData}
		if _, err := r.next(); err != nil {
			t.Fatalf("no greeting: %v", err)
		}
	}
	if n := count(); n > maxConns {
		t.Errorf("%d connections", n)
	}
	ask("beside those that ask nothing")
}
