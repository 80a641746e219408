package session

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/hobjobs/hob/engine"
)

// terminal sends chunks. Its other methods are not called.
type terminal struct {
	engine.Terminal
	chunks chan engine.TerminalChunk
}

func (t *terminal) Next(ctx context.Context) (engine.TerminalChunk, error) {
	select {
	case c := <-t.chunks:
		return c, nil
	case <-ctx.Done():
		return engine.TerminalChunk{}, ctx.Err()
	}
}

func (t *terminal) Close() error { return nil }

func TestSessionBatchesFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term := &terminal{chunks: make(chan engine.TerminalChunk)}
		s := New(t.Context(), term)
		go func() {
			for range 2000 {
				term.chunks <- engine.TerminalChunk{Data: make([]byte, 4096)}
			}
			term.chunks <- engine.TerminalChunk{Exit: &engine.Exit{}}
		}()
		batches, bytes, ended := 0, 0, false
		for !ended {
			synctest.Wait()
			chunks, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			batches++
			for _, c := range chunks {
				bytes += len(c.Data)
				ended = c.Exit != nil
			}
		}
		if bytes != 2000*4096 {
			t.Errorf("%d bytes arrived", bytes)
		}
		if batches > 20 {
			t.Errorf("%d batches", batches)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
