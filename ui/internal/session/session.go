// Package session reads the terminal of a job for a pane that shows it.
package session

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// Session reads a terminal ahead of the display, so that a flood of output arrives in batches.
// One goroutine reads; Close waits for it. The read-ahead is limited: beyond that the holder sees
// a slow viewer and sends a snapshot later.
type Session struct {
	// Terminal is where input goes.
	Terminal engine.Terminal

	cancel context.CancelFunc
	wg     sync.WaitGroup
	chunks chan engine.TerminalChunk // closed after the last one
	err    error                     // why there are no more chunks

	last  time.Time // time and size of the last batch
	burst bool
}

const (
	readAhead = 128 // chunks
	// After a large batch the next one is delayed: 30 frames a second are enough. The echo of a
	// key is not delayed.
	pace       = 33 * time.Millisecond
	burstBytes = 4 << 10
)

// New begins to read term.
func New(ctx context.Context, term engine.Terminal) *Session {
	ctx, cancel := context.WithCancel(ctx)
	s := &Session{Terminal: term, cancel: cancel, chunks: make(chan engine.TerminalChunk, readAhead)}
	s.wg.Go(func() { s.err = s.read(ctx) })
	return s
}

// read ends with the terminal, or when the session is closed.
func (s *Session) read(ctx context.Context) error {
	defer close(s.chunks)
	for {
		chunk, err := s.Terminal.Next(ctx)
		if err != nil {
			return err
		}
		select {
		case s.chunks <- chunk:
		case <-ctx.Done():
			return ctx.Err()
		}
		if chunk.Exit != nil {
			return io.EOF
		}
	}
}

// Next waits for chunks and returns all of them. It must not be called concurrently.
func (s *Session) Next(ctx context.Context) ([]engine.TerminalChunk, error) {
	if s.burst {
		select {
		case <-time.After(time.Until(s.last.Add(pace))):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var batch []engine.TerminalChunk
	select {
	case chunk, ok := <-s.chunks:
		if !ok {
			s.wg.Wait()
			return nil, s.err
		}
		batch = s.more(chunk)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	bytes := 0
	for _, chunk := range batch {
		bytes += len(chunk.Data)
	}
	s.last, s.burst = time.Now(), bytes >= burstBytes
	return batch, nil
}

// more returns a chunk and those that follow without waiting. A snapshot voids the chunks before it.
func (s *Session) more(chunk engine.TerminalChunk) []engine.TerminalChunk {
	batch := []engine.TerminalChunk{chunk}
	for range readAhead {
		select {
		case next, ok := <-s.chunks:
			if !ok {
				return batch
			}
			if next.Reset {
				batch = batch[:0]
			}
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

// Close ends the session; the job keeps running.
func (s *Session) Close() error {
	s.cancel()
	err := s.Terminal.Close()
	s.wg.Wait()
	return err
}
