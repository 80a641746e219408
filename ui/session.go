package ui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// session reads a terminal ahead of the display, so that a flood of output arrives in batches.
// One goroutine reads; close waits for it. The read-ahead is limited: beyond that the holder sees
// a slow viewer and sends a snapshot later.
type session struct {
	term   engine.Terminal
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	room   sync.Cond
	chunks []engine.TerminalChunk
	bytes  int
	err    error
	closed bool
	ready  chan struct{} // has one element while there are chunks

	last  time.Time // time and size of the last batch
	burst bool
}

const (
	readAhead = 1 << 20
	// After a large batch the next one is delayed: 30 frames a second are enough. The echo of a
	// key is not delayed.
	pace       = 33 * time.Millisecond
	burstBytes = 4 << 10
)

// openSession opens a session of a job's terminal and passes it, or the error, to then.
func (p *Pane) openSession(id engine.ID, o engine.TerminalOptions, then func(*session, error) tea.Cmd) tea.Cmd {
	eng, held := p.eng, p.held
	return p.async(func(ctx context.Context) func() tea.Cmd {
		term, err := eng.OpenTerminal(ctx, id, o)
		if err != nil {
			return func() tea.Cmd { return then(nil, err) }
		}
		open := newSession(ctx, term)
		if !held.keep(open) {
			return nil
		}
		return func() tea.Cmd { return then(open, nil) }
	})
}

// nextChunks waits for output of a session. At most one such command runs per session.
func (p *Pane) nextChunks(open *session, then func([]engine.TerminalChunk, error) tea.Cmd) tea.Cmd {
	return p.async(func(ctx context.Context) func() tea.Cmd {
		chunks, err := open.next(ctx)
		return func() tea.Cmd { return then(chunks, err) }
	})
}

func newSession(ctx context.Context, term engine.Terminal) *session {
	ctx, cancel := context.WithCancel(ctx)
	s := &session{term: term, cancel: cancel, ready: make(chan struct{}, 1)}
	s.room.L = &s.mu
	s.wg.Go(func() { s.read(ctx) })
	return s
}

// read ends with the terminal, or when close is called.
func (s *session) read(ctx context.Context) {
	for {
		chunk, err := s.term.Next(ctx)
		s.mu.Lock()
		for err == nil && s.bytes > readAhead && !s.closed {
			s.room.Wait()
		}
		if err != nil {
			s.err = err
		} else {
			if chunk.Reset {
				s.chunks, s.bytes = s.chunks[:0], 0
			}
			s.chunks = append(s.chunks, chunk)
			s.bytes += len(chunk.Data)
		}
		done := err != nil || s.closed || chunk.Exit != nil
		s.mu.Unlock()
		select {
		case s.ready <- struct{}{}:
		default:
		}
		if done {
			return
		}
	}
}

// next waits for chunks and returns all of them. It must not be called concurrently.
func (s *session) next(ctx context.Context) ([]engine.TerminalChunk, error) {
	if s.burst {
		select {
		case <-time.After(time.Until(s.last.Add(pace))):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for {
		s.mu.Lock()
		chunks, bytes, err := s.chunks, s.bytes, s.err
		s.chunks, s.bytes = nil, 0
		s.room.Signal()
		s.mu.Unlock()
		if len(chunks) > 0 {
			s.last, s.burst = time.Now(), bytes >= burstBytes
			return chunks, nil
		}
		if err != nil {
			return nil, err
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the session; the job keeps running.
func (s *session) Close() error {
	s.mu.Lock()
	s.closed = true
	s.room.Broadcast()
	s.mu.Unlock()
	s.cancel()
	err := s.term.Close()
	s.wg.Wait()
	return err
}
