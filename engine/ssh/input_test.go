//go:build unix

package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
	"github.com/hobjobs/hob/internal/sshtest"
)

// feedChannel counts the requests that type into a job.
type feedChannel struct {
	shell.Channel
	feeds *atomic.Int64
}

func (c feedChannel) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("\nfeed ")) {
		c.feeds.Add(1)
	}
	return c.Channel.Write(p)
}

// allOf ends the input of a cat and returns what it printed.
func (r *rig) allOf(id engine.ID) string {
	r.Helper()
	if err := r.e.Handle(id).CloseInput(r.ctx()); err != nil {
		r.Fatal(err)
	}
	r.wait(id)
	return r.read(id)
}

// got ends the input of a cat and expects that it has printed want.
func (r *rig) got(id engine.ID, want string) {
	r.Helper()
	if got := r.allOf(id); got != want {
		r.Errorf("the job got %d bytes, want %d", len(got), len(want))
	}
}

// Each request costs a round trip, which takes long to a host that is far away.
func TestLongInputTakesFewRoundTrips(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	var feeds atomic.Int64
	r.tap(func(ch shell.Channel) shell.Channel { return feedChannel{ch, &feeds} })
	j := r.start("cat", func(s *engine.Spec) { s.Stdin = true })
	data := strings.Repeat("0123456789abcde\n", 600_000/16)
	if err := r.e.Handle(j.ID).Write(r.ctx(), []byte(data)); err != nil {
		t.Fatal(err)
	}
	r.got(j.ID, data)
	// A pipe always takes 4 KiB. In pieces of that size it would be 146 requests.
	if n := feeds.Load(); n == 0 || n > 30 {
		t.Errorf("%d requests for %d bytes", n, len(data))
	}
}

// A request that a broken connection cuts off types the beginning of the input or
// nothing. No part of it is typed twice.
func TestInputCutOffIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, at := range []int64{40_000, 120_000, 300_000, 500_000} {
		r := newRig(t, nil)
		j := r.start(`cat; echo end`, func(s *engine.Spec) { s.Stdin = true })
		r.s.CutAfter(at)
		r.s.Cut() // after the limit is set: the next connection may begin at once
		var data strings.Builder
		for i := 0; data.Len() < 600_000; i++ {
			data.WriteString(strings.Repeat("x", i%100) + "\n")
		}
		err := r.e.Handle(j.ID).Write(r.ctx(), []byte(data.String()))
		r.s.CutAfter(0)
		r.s.Cut()
		got, whole := strings.CutSuffix(r.allOf(j.ID), "end\n")
		if !whole || !strings.HasPrefix(data.String(), got) || err == nil && got != data.String() {
			t.Errorf("cut after %d bytes, %v: the job got %d bytes of %d that are not its beginning", at, err, len(got), data.Len())
		}
		r.e.Close()
	}
}

// noise is size bytes of any value, which no shell understands.
func noise(size int) string {
	var seed [32]byte
	data := make([]byte, size)
	rand.NewChaCha8(seed).Read(data)
	return string(data)
}

func TestCopyInput(t *testing.T) {
	t.Parallel()
	data := noise(3_000_000)
	servers := map[string]func(*sshtest.Server){"dropbear": func(s *sshtest.Server) { s.Manner = sshtest.Dropbear }}
	for n := range 4 { // 0: any number
		servers[fmt.Sprint(n, " sessions")] = func(s *sshtest.Server) { s.MaxSessions = n }
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, server)
			j := r.start("cat", func(s *engine.Spec) { s.Stdin = true })
			if err := r.e.Handle(j.ID).CopyInput(r.ctx(), strings.NewReader(data)); err != nil {
				t.Fatal(err)
			}
			r.got(j.ID, data)
		})
	}
}

// streamChannel counts the sessions over which input is being streamed.
type streamChannel struct {
	shell.Channel
	open  *atomic.Int64
	begun atomic.Bool
}

func (c *streamChannel) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("\nstream ")) && !c.begun.Swap(true) {
		c.open.Add(1)
	}
	return c.Channel.Write(p)
}

func (c *streamChannel) Close() error {
	if c.begun.Swap(false) {
		c.open.Add(-1)
	}
	return c.Channel.Close()
}

// typing reports whether a request that types input is under way.
func (r *rig) typing() bool {
	h := r.b.host("box")
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c == nil {
		return false
	}
	_, pending := c.Load(slow)
	return pending > 0
}

// cut breaks the connection, and waits until it is known here to be broken: whether a request that is
// sent before has reached the host would be unknown.
func (r *rig) cut() {
	h := r.b.host("box")
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	r.s.Cut()
	if c == nil {
		return
	}
	select {
	case <-c.Done():
	case <-r.ctx().Done():
		r.Fatal("the lost connection is not noticed")
	}
}

// A line is typed when it comes, not when more does, and a connection that breaks between
// two pieces of input, large or small, loses none of it.
func TestCopyInputPieceByPiece(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	var open atomic.Int64
	r.tap(func(ch shell.Channel) shell.Channel { return &streamChannel{Channel: ch, open: &open} })
	j := r.start("cat", func(s *engine.Spec) { s.Stdin = true })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- r.e.Handle(j.ID).CopyInput(ctx, in) }()
	want := ""
	for _, piece := range []string{"one\n", noise(300_000), "two\n", noise(100_000), "three\n"} {
		want += piece
		io.WriteString(out, piece)
		for r.read(j.ID) != want || open.Load() > 0 || r.typing() {
			select {
			case err := <-done:
				t.Fatalf("it ended before its input: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
		}
		r.cut()
	}
	out.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	r.got(j.ID, want)
}

// If a broken connection cuts input off, the job gets its beginning, no part of it twice,
// and no end of file.
func TestCopyInputCutOff(t *testing.T) {
	t.Parallel()
	data := noise(600_000)
	for _, at := range []int64{40_000, 120_000, 300_000, 500_000} {
		r := newRig(t, nil)
		j := r.start("cat; echo end", func(s *engine.Spec) { s.Stdin = true })
		r.s.CutAfter(at)
		r.s.Cut()
		err := r.e.Handle(j.ID).CopyInput(r.ctx(), strings.NewReader(data))
		r.s.CutAfter(0)
		r.s.Cut()
		if !errors.Is(err, engine.ErrUnreachable) {
			t.Errorf("cut after %d bytes: %v", at, err)
		}
		if now, err := r.e.Handle(j.ID).Facts(r.ctx()); err != nil || now.Status != engine.Running {
			t.Errorf("the job's input has ended: %s, %v", now.Status, err)
		}
		got, whole := strings.CutSuffix(r.allOf(j.ID), "end\n")
		if !whole || !strings.HasPrefix(data, got) {
			t.Errorf("cut after %d bytes: the job got %d bytes that are not the beginning", at, len(got))
		}
		r.e.Close()
	}
}

// If a job ends without having read its input, the rest is discarded. In particular, the
// shell of the host does not run it as commands.
func TestCopyInputOfAJobThatEnds(t *testing.T) {
	t.Parallel()
	for _, size := range []int{100_000, 5_000_000} {
		r := newRig(t, nil)
		trap := filepath.Join(t.TempDir(), "trap")
		data := strings.Repeat("\ntouch "+trap+"\n", size/len(trap))
		j := r.start("read x; exit 3", func(s *engine.Spec) { s.Stdin = true })
		if err := r.e.Handle(j.ID).CopyInput(r.ctx(), strings.NewReader(data)); err != nil && !errors.Is(err, engine.ErrNotRunning) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if exit := r.wait(j.ID); exit.Code == nil || *exit.Code != 3 {
			t.Errorf("exit %+v", exit)
		}
		if _, err := os.Stat(trap); err == nil {
			t.Error("input was run as a command")
		}
	}
}

func TestCopyInputWaitsForAJobThatReadsLate(t *testing.T) {
	t.Parallel()
	data := noise(300_000)
	r := newRig(t, nil)
	j := r.start("sleep 9; cat", func(s *engine.Spec) { s.Stdin = true })
	if err := r.e.Handle(j.ID).CopyInput(r.ctx(), strings.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	r.got(j.ID, data)
}
