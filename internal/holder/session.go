package holder

import (
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine/record"
)

const (
	// maxChunk is how much output one step of a session merges.
	maxChunk = 256 << 10
	// inputStep is how much is typed in one instruction.
	inputStep = 64 << 10
)

// Session is a client's side of a job's terminal. Next has one caller at a time;
// the rest may be called concurrently with it.
type Session struct {
	c   *Client
	dir string

	// Of the caller of Next.
	held    *Frame // taken from the stream but not returned yet
	offset  int64
	control Control
	over    bool
}

// openSession attaches to the terminal of the job in dir.
func openSession(ctx context.Context, dir string, a Attach) (*Session, error) {
	c, err := Dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := c.Stream(ctx, TypeAttach, a); err != nil {
		return nil, errors.Join(parted(dir, err), c.Close())
	}
	return &Session{c: c, dir: dir}, nil
}

// factsOf are the facts of a viewer's terminal as they are sent.
func factsOf(f record.TerminalFacts) TerminalFacts {
	facts := TerminalFacts{CellWidth: f.CellWidth, CellHeight: f.CellHeight, KittyKeyboard: f.KittyKeyboard}
	if f.HaveColors {
		facts.Foreground, facts.Background = &f.Foreground, &f.Background
	}
	return facts
}

// Next waits for the next step. After an error that is not the context's the
// session is void.
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
	// The connection broke, perhaps with the job: its files know.
	if st, lookErr := Look(s.dir); errors.Is(err, ErrNoSocket) && lookErr == nil && st.Status.Finished() {
		s.over = true
		return record.TerminalChunk{Offset: chunk.Offset, Size: chunk.Size, Exit: &st.Exit}, nil
	}
	return record.TerminalChunk{}, err
}

// fill waits for a frame that has something to say, and merges with it those behind it
// that are there already.
func (s *Session) fill(ctx context.Context, chunk *record.TerminalChunk) error {
	for told := false; !told || chunk.Exit == nil && len(chunk.Data) < maxChunk; {
		f, err := s.frame(ctx, told)
		if err != nil {
			return err
		}
		if f == nil {
			break
		}
		if f.Type == TypeSnapshot && len(chunk.Data) > 0 || told && f.Type == TypeExit {
			s.held = f // begins a chunk of its own
			break
		}
		took, err := s.apply(f, chunk)
		if err != nil {
			return err
		}
		told = told || took
	}
	return nil
}

// frame is the next one; with ready only if it is there already, else nil.
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

// apply adds a frame to chunk and reports whether there is something to tell.
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
		told := ctl.Size != s.control.Size || ctl.You != s.control.You || ctl.Controller != s.control.Controller
		s.control = ctl
		return told, nil
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
	return parted(s.dir, s.c.Type(ctx, p))
}

// Resize gives the job's terminal the size of the viewer's. The size of a viewer that
// only watches is kept for when it takes control.
func (s *Session) Resize(ctx context.Context, size record.Size) error {
	return s.c.Do(ctx, TypeResize, size, nil)
}

// TakeControl takes keyboard and size over.
func (s *Session) TakeControl(ctx context.Context) error {
	return s.c.Do(ctx, TypeTakeControl, nil, nil)
}

// SetFacts replaces the facts of the viewer's terminal that were given when the session
// was opened. A holder of a build that does not know that keeps those.
func (s *Session) SetFacts(ctx context.Context, f record.TerminalFacts) error {
	err := s.c.Do(ctx, TypeTerminal, factsOf(f), nil)
	if errors.Is(err, &Failure{Code: CodeUnknown}) {
		return nil
	}
	return err
}

// Close leaves the terminal.
func (s *Session) Close() error {
	_ = s.c.Close() // a connection that has broken already is as good as closed
	return nil
}

// Type types p, in pieces that an instruction can carry.
func (c *Client) Type(ctx context.Context, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), inputStep)
		if err := c.Do(ctx, TypeInput, p[:n], nil); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// Paste pastes p. A paste that is longer than an instruction can carry becomes several.
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

// pieceOf is how much of a text can go without what follows: it tears no character
// and no end of a line.
func pieceOf(p []byte) int {
	n := len(p)
	for n > len(p)-utf8.UTFMax && n > 1 && !utf8.RuneStart(p[n-1]) {
		n--
	}
	if r, size := utf8.DecodeRune(p[n-1:]); r != utf8.RuneError || size > 1 {
		n = n - 1 + size // the last character is whole
	} else if n > 1 {
		n-- // it may go on behind p
	}
	if n > 1 && p[n-1] == '\r' {
		n--
	}
	return n
}
