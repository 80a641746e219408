//go:build unix

package ssh

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// counting counts the requests of a connection that type into a job.
type counting struct {
	shell.Transport
	feeds *atomic.Int64
}

func (c counting) Open(ctx context.Context) (shell.Channel, error) {
	ch, err := c.Transport.Open(ctx)
	return countingChannel{ch, c.feeds}, err
}

type countingChannel struct {
	shell.Channel
	feeds *atomic.Int64
}

func (c countingChannel) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("\nfeed ")) {
		c.feeds.Add(1)
	}
	return c.Channel.Write(p)
}

// Each request costs a round trip, which takes long to a host that is far away.
func TestLongInputTakesFewRoundTrips(t *testing.T) {
	r := newRig(t, nil)
	var feeds atomic.Int64
	dial := r.b.reach
	r.b.reach = func(ctx context.Context, host string) (shell.Transport, error) {
		tr, err := dial(ctx, host)
		if err != nil {
			return nil, err
		}
		return counting{tr, &feeds}, nil
	}
	j := r.start("cat", func(s *engine.Spec) { s.Stdin = true })
	data := strings.Repeat("0123456789abcde\n", 600_000/16)
	if err := r.e.Write(r.ctx(), j.ID, []byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := r.e.CloseInput(r.ctx(), j.ID); err != nil {
		t.Fatal(err)
	}
	r.wait(j.ID)
	if got := r.read(j.ID); got != data {
		t.Errorf("the job got %d bytes, want %d", len(got), len(data))
	}
	// A pipe takes 4 KiB for sure; 146 requests of that size would do it one by one.
	if n := feeds.Load(); n == 0 || n > 30 {
		t.Errorf("%d requests for %d bytes", n, len(data))
	}
}

// A request that a broken connection cuts off types the beginning of the input or
// nothing, and nothing of it twice.
func TestInputCutOffIsNotRepeated(t *testing.T) {
	for _, at := range []int64{40_000, 120_000, 300_000, 500_000} {
		r := newRig(t, nil)
		j := r.start(`cat; echo end`, func(s *engine.Spec) { s.Stdin = true })
		r.s.Cut()
		r.s.CutAfter(at)
		var data strings.Builder
		for i := 0; data.Len() < 600_000; i++ {
			data.WriteString(strings.Repeat("x", i%100) + "\n")
		}
		err := r.e.Write(r.ctx(), j.ID, []byte(data.String()))
		r.s.CutAfter(0)
		r.s.Cut()
		if err := r.e.CloseInput(r.ctx(), j.ID); err != nil {
			t.Fatal(err)
		}
		r.wait(j.ID)
		got, whole := strings.CutSuffix(r.read(j.ID), "end\n")
		if !whole || !strings.HasPrefix(data.String(), got) || err == nil && got != data.String() {
			t.Errorf("cut after %d bytes, %v: the job got %d bytes of %d that are not its beginning", at, err, len(got), data.Len())
		}
		r.e.Close()
	}
}
