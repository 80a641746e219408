package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/client"
	"github.com/hobjobs/hob/engine/ssh/internal/conn"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// withTransports replaces how hosts are reached.
func withTransports(f func(ctx context.Context, host string) (shell.Transport, error)) Option {
	return func(b *Backend) { b.reach = f }
}

// place is a host in memory, for tests with simulated time. It answers every request with a hello.
type place struct {
	silent bool          // it does not even refuse
	late   time.Duration // of each answer

	mu    sync.Mutex // guards what follows
	down  error      // why it cannot be reached; nil: it can
	links []*link
	tried []time.Time
}

func (p *place) reach(ctx context.Context, _ string) (shell.Transport, error) {
	if p.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried = append(p.tried, time.Now())
	if p.down != nil {
		return nil, p.down
	}
	l := &link{done: make(chan struct{})}
	l.late.Store(int64(p.late))
	p.links = append(p.links, l)
	return l, nil
}

// attempts are the times of attempts to connect.
func (p *place) attempts() []time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.tried)
}

// cut ends the newest connection.
func (p *place) cut() {
	p.mu.Lock()
	l := p.links[len(p.links)-1]
	p.mu.Unlock()
	l.Close()
}

// link is one connection to a place.
type link struct {
	late   atomic.Int64 // a time.Duration
	done   chan struct{}
	once   sync.Once
	mu     sync.Mutex
	opened []*answerer
}

func (l *link) Open(context.Context) (shell.Channel, error) {
	select {
	case <-l.done:
		return nil, errors.New("cut")
	default:
	}
	a := newAnswerer(&l.late)
	l.mu.Lock()
	l.opened = append(l.opened, a)
	l.mu.Unlock()
	return a, nil
}

func (l *link) Done() <-chan struct{} { return l.done }
func (*link) Err() error              { return errors.New("cut") }

func (l *link) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, a := range l.opened {
			a.Close()
		}
	})
	return nil
}

// answerer is a channel behind which no shell is.
type answerer struct {
	io.Reader
	answers *io.PipeWriter
	in      *io.PipeWriter
	closed  chan struct{}
	once    sync.Once
}

func newAnswerer(delay *atomic.Int64) *answerer {
	out, answers := io.Pipe()
	requests, in := io.Pipe()
	a := &answerer{Reader: out, answers: answers, in: in, closed: make(chan struct{})}
	go func() { // ends with the channel
		defer answers.Close()
		mark := regexp.MustCompile(`(?:; |\n)echo ([A-Z2-7]{26}) `)
		knock := []byte("echo\n") // whether it reads
		buf := make([]byte, 1<<20)
		for {
			n, err := requests.Read(buf)
			if err != nil {
				return
			}
			if m := mark.FindSubmatch(buf[:n]); m != nil {
				if late := time.Duration(delay.Load()); late > 0 && !bytes.HasPrefix(buf[:n], knock) { // many timers that have run out at once can crash the race detector in a bubble
					select {
					case <-time.After(late):
					case <-a.closed:
						return
					}
				}
				io.WriteString(answers, "base /there/jobs\n\n"+string(m[1])+" 0\n")
			}
		}
	}()
	return a
}

func (a *answerer) Write(p []byte) (int, error) { return a.in.Write(p) }
func (*answerer) Stderr() string                { return "" }
func (a *answerer) CloseWrite() error           { return a.in.Close() }

func (a *answerer) Close() error {
	a.once.Do(func() { close(a.closed) })
	a.answers.Close()
	return a.in.Close()
}

// at runs f in a bubble with a backend whose host box is p.
func at(t *testing.T, p *place, f func(t *testing.T, h *host)) {
	synctest.Test(t, func(t *testing.T) {
		b := New(withTransports(p.reach))
		defer b.Close()
		f(t, b.host("box"))
	})
}

func (h *host) hello(ctx context.Context) error {
	_, err := h.ask(WithInteraction(ctx, false), quick, "hello", askOptions{once: true})
	return err
}

func TestNextCallReconnects(t *testing.T) {
	p := &place{}
	at(t, p, func(t *testing.T, h *host) {
		if err := h.hello(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, noticed := range []bool{true, false, true, false} {
			p.cut()
			if noticed {
				synctest.Wait()
				if s := h.state(); s.Link != engine.LinkUnreachable {
					t.Fatalf("%d: after the cut it is %+v", i, s)
				}
			}
			began := time.Now()
			if err := h.hello(t.Context()); err != nil {
				t.Errorf("%d: the call after the cut: %v", i, err)
			}
			if took := time.Since(began); i == 0 && took != 0 || took > eagerPause {
				t.Errorf("%d: it took %s", i, took)
			}
			if len(p.attempts()) != i+2 {
				t.Errorf("%d: connected %d times", i, len(p.attempts()))
			}
		}
	})
}

// A call does not wait for what has just failed to connect.
func TestHostThatIsDownFailsCallsAtOnce(t *testing.T) {
	p := &place{down: errors.New("no route")}
	at(t, p, func(t *testing.T, h *host) {
		began := time.Now()
		for range 10 {
			if err := h.hello(t.Context()); !errors.Is(err, engine.ErrUnreachable) {
				t.Errorf("error %v", err)
			}
		}
		if took := time.Since(began); took != 0 || len(p.attempts()) != 1 {
			t.Errorf("%d attempts in %s", len(p.attempts()), took)
		}
		p.mu.Lock()
		p.down = nil
		p.mu.Unlock()
		time.Sleep(eagerPause)
		if err := h.hello(t.Context()); err != nil {
			t.Errorf("when it is back: %v", err)
		}
	})
}

func watched(t *testing.T, h *host) {
	t.Helper()
	w := h.watch(engine.Record{ID: "x", Dir: t.TempDir(), Job: engine.Job{Request: engine.Request{ID: "x", Host: "box"}, State: engine.State{Status: engine.Running}}})
	t.Cleanup(func() { h.unwatch(w) })
}

func TestPausesGrowWithJitter(t *testing.T) {
	p := &place{down: errors.New("no route")}
	at(t, p, func(t *testing.T, h *host) {
		watched(t, h)
		time.Sleep(20 * time.Minute)
		tried := p.attempts()
		if len(tried) < 25 || len(tried) > 60 {
			t.Fatalf("%d attempts in 20 minutes", len(tried))
		}
		same := true
		for i := range tried[1:] {
			gap, most := tried[i+1].Sub(tried[i]), min(mostPause, firstPause<<min(i, 10))
			if gap < most/2 || gap > most {
				t.Errorf("pause %d is %s, want %s to %s", i, gap, most/2, most)
			}
			same = same && gap == most
		}
		if same {
			t.Error("there is no jitter")
		}
	})
}

func TestErrorThatNeedsTheUserIsNotRetried(t *testing.T) {
	p := &place{down: &client.Error{Step: "host key", Err: errors.New("changed"), Final: true}}
	at(t, p, func(t *testing.T, h *host) {
		watched(t, h)
		time.Sleep(12 * time.Hour)
		if n := len(p.attempts()); n != 1 {
			t.Errorf("%d attempts", n)
		}
	})
}

func TestOneConnectionForManyCalls(t *testing.T) {
	p := &place{}
	at(t, p, func(t *testing.T, h *host) {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				if _, err := h.ask(t.Context(), conn.Class(i)%conn.Classes, "hello", askOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(p.links) != 1 || len(p.links[0].opened) > 4 {
			t.Errorf("%d connections, %d channels", len(p.links), len(p.links[0].opened))
		}
	})
}

func TestSlowAndDeadHostsDelayNoLook(t *testing.T) {
	places := map[string]*place{}
	var records []engine.Record
	for i := range 100 {
		name, p := fmt.Sprintf("host%02d", i), &place{}
		switch {
		case i < 10:
			p.silent = true
		case i < 20:
			p.down = errors.New("no route")
		case i < 25:
			p.late = 2 * time.Second
		}
		places[name] = p
		id := engine.ID("job-" + name)
		records = append(records, engine.Record{ID: id, Dir: t.TempDir(), Job: engine.Job{Request: engine.Request{ID: id, Host: name}, State: engine.State{Status: engine.Running}}})
	}
	synctest.Test(t, func(t *testing.T) {
		b := New(withTransports(func(ctx context.Context, host string) (shell.Transport, error) { return places[host].reach(ctx, host) }))
		defer b.Close()
		// look observes all of them and returns how many are reported as linked.
		look := func(most time.Duration) (linked int) {
			began := time.Now()
			seen, err := b.Observe(t.Context(), records)
			if took := time.Since(began); err != nil || len(seen) != len(records) || took > most {
				t.Errorf("%d observations, %v, in %s", len(seen), err, took)
			}
			for id, o := range seen {
				switch {
				case o.Status != engine.Running:
					t.Errorf("%s became %s", id, o.Status)
				case o.Link == engine.LinkOK:
					linked++
				case o.LinkError == "" || o.StaleSince.IsZero():
					t.Errorf("%s is unreachable without a reason: %+v", id, o)
				}
			}
			return linked
		}
		look(0)
		for range 3 { // every one has its turn at connecting
			time.Sleep(lookLimit)
			look(promptly)
		}
		if n := look(promptly); n != 80 {
			t.Errorf("%d hosts are linked, want 80", n)
		}
	})
}
