package holder

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/logfile"
)

const (
	// maxChunk limits the output in one step of a session.
	maxChunk = 256 << 10
	// inputStep is the maximum input in one instruction.
	inputStep = 64 << 10
)

// Session is a client's session with a job's terminal. Next must not be called concurrently with
// itself. The other methods are safe for concurrent use.
type Session struct {
	c    *Client
	look func() (record.State, error) // the state of the job

	// Used only by Next.
	held    *Frame // received but not returned yet
	offset  int64
	control Control
	over    bool
}

// OpenSession attaches the client c to the terminal of its job. The session owns c. look returns the job's
// state when the connection has ended.
func OpenSession(ctx context.Context, c *Client, o record.TerminalOptions, look func() (record.State, error)) (*Session, error) {
	s := &Session{c: c, look: look}
	err := c.Stream(ctx, TypeAttach, Attach{
		Control:    o.Control,
		Client:     o.Client,
		Size:       o.Size,
		Scrollback: o.Scrollback,
		Facts:      factsOf(o.Facts),
	})
	if err != nil {
		return nil, errors.Join(s.orNotRunning(err), c.Close())
	}
	return s, nil
}

// orNotRunning returns ErrNotRunning for the error of a connection that broke because the job has ended, and
// other errors as they are.
func (s *Session) orNotRunning(err error) error {
	if !errors.Is(err, ErrNoSocket) {
		return err
	}
	st, lookErr := s.look()
	removed := errors.Is(lookErr, fs.ErrNotExist) || errors.Is(lookErr, jobdir.ErrNoMeta)
	if removed || lookErr == nil && st.Status.Finished() {
		return record.ErrNotRunning
	}
	return err
}

// factsOf converts the facts of a viewer's terminal.
func factsOf(f record.TerminalFacts) TerminalFacts {
	facts := TerminalFacts{
		CellWidth:     f.CellWidth,
		CellHeight:    f.CellHeight,
		KittyKeyboard: f.KittyKeyboard,
	}
	if f.HaveColors {
		facts.Foreground, facts.Background = &f.Foreground, &f.Background
	}
	return facts
}

// Next waits for the next step. After an error other than that of ctx, the session is unusable.
func (s *Session) Next(ctx context.Context) (record.TerminalChunk, error) {
	if s.over {
		return record.TerminalChunk{}, record.ErrNotRunning
	}
	chunk := record.TerminalChunk{Offset: s.offset, Size: s.control.Size}
	err := s.fill(ctx, &chunk)
	if err == nil {
		s.offset, s.over = chunk.Offset, chunk.Exit != nil
		chunk.Size, chunk.Controller, chunk.Control = s.control.Size, s.control.Controller, s.control.You
		return chunk, nil
	}
	if ctx.Err() != nil {
		return record.TerminalChunk{}, ctx.Err()
	}
	if !errors.Is(err, ErrNoSocket) {
		return record.TerminalChunk{}, err
	}
	// The connection broke, perhaps because the job ended: its files show that.
	if st, lookErr := s.look(); lookErr == nil && st.Status.Finished() {
		s.over = true
		return record.TerminalChunk{
			Offset: chunk.Offset,
			Size:   chunk.Size,
			Exit:   &st.Exit,
		}, nil
	}
	return record.TerminalChunk{}, err
}

// fill waits for a frame with content and merges it with further frames that were already received.
func (s *Session) fill(ctx context.Context, chunk *record.TerminalChunk) error {
	for got := false; !got || takesMore(chunk); {
		f, err := s.frame(ctx, got)
		if err != nil {
			return err
		}
		if f == nil {
			break
		}
		if got && beginsChunk(f, chunk) {
			s.held = f
			break
		}
		took, err := s.apply(f, chunk)
		if err != nil {
			return err
		}
		if took {
			got = true
		}
	}
	return nil
}

// takesMore reports whether further frames may be merged into chunk.
func takesMore(chunk *record.TerminalChunk) bool {
	return chunk.Exit == nil && len(chunk.Data) < maxChunk
}

// beginsChunk reports whether f must not be merged into chunk, which has content: a snapshot replaces
// output, and the end is reported alone.
func beginsChunk(f *Frame, chunk *record.TerminalChunk) bool {
	switch f.Type {
	case TypeSnapshot:
		return len(chunk.Data) > 0
	case TypeExit:
		return true
	}
	return false
}

// frame returns the next frame. If ready is set, it returns nil unless a frame was already received.
func (s *Session) frame(ctx context.Context, ready bool) (*Frame, error) {
	if f := s.held; f != nil {
		s.held = nil
		return f, nil
	}
	if ready {
		f, ok := s.c.Ready()
		if !ok {
			return nil, nil
		}
		return &f, nil
	}
	f, err := s.c.Next(ctx)
	return &f, err
}

// apply adds a frame to chunk and reports whether chunk has content now.
func (s *Session) apply(f *Frame, chunk *record.TerminalChunk) (bool, error) {
	switch f.Type {
	case TypeSnapshot:
		shot, err := DecodeSnapshot(f.Payload)
		if err != nil {
			return false, err
		}
		chunk.Reset, chunk.Data, chunk.Offset = true, shot.Data, shot.Offset
		s.control.Size = shot.Size
		return true, nil
	case TypeOutput:
		off, data, err := DecodeOutput(f.Payload)
		if err != nil {
			return false, err
		}
		chunk.Data = append(chunk.Data, data...)
		chunk.Offset = off
		return true, nil
	case TypeControl:
		var ctl Control
		if err := json.Unmarshal(f.Payload, &ctl); err != nil {
			return false, err
		}
		before := s.control
		before.Offset = ctl.Offset // a new offset alone is no content
		s.control = ctl
		return ctl != before, nil
	case TypeExit:
		var end record.Exit
		if err := json.Unmarshal(f.Payload, &end); err != nil {
			return false, err
		}
		chunk.Exit = &end
		return true, nil
	}
	return false, nil
}

// Write types p.
func (s *Session) Write(ctx context.Context, p []byte) error {
	return s.orNotRunning(s.c.Type(ctx, p))
}

// Resize sets the size of the viewer's terminal. The job's terminal gets this size if the viewer has
// control, or when it takes control.
func (s *Session) Resize(ctx context.Context, size record.Size) error {
	return s.c.Do(ctx, TypeResize, size, nil)
}

func (s *Session) TakeControl(ctx context.Context) error {
	return s.c.Do(ctx, TypeTakeControl, nil, nil)
}

// SetFacts replaces the facts of the viewer's terminal. A holder of an earlier version ignores this.
func (s *Session) SetFacts(ctx context.Context, f record.TerminalFacts) error {
	err := s.c.Do(ctx, TypeTerminal, factsOf(f), nil)
	if errors.Is(err, &Failure{Code: CodeUnknown}) {
		return nil
	}
	return err
}

func (s *Session) Close() error {
	_ = s.c.Close() // fails only if the connection is already closed
	return nil
}

// Type types p, in as many instructions as necessary.
func (c *Client) Type(ctx context.Context, p []byte) error {
	for taken := 0; taken < len(p); {
		n := min(len(p)-taken, inputStep)
		if err := c.Do(ctx, TypeInput, p[taken:taken+n], nil); err != nil {
			if f, ok := errors.AsType[*Failure](err); ok {
				f.Taken += taken
			}
			return err
		}
		taken += n
	}
	return nil
}

// Paste pastes p. If it is too long for one instruction, it becomes several pastes.
func (c *Client) Paste(ctx context.Context, p []byte) error {
	for len(p) > 0 {
		n := len(p)
		if n > maxInstruction {
			n = pieceOf(p[:maxInstruction])
		}
		if err := c.Do(ctx, TypePaste, p[:n], nil); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// pieceOf returns the length of the first part of a long text. It splits no character and no CRLF.
func pieceOf(p []byte) int {
	n := max(1, len(p)-logfile.IncompleteRune(p))
	if n > 1 && p[n-1] == '\r' {
		n--
	}
	return n
}
