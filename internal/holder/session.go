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

// ErrOver means that the end of the job was told by the step before.
var ErrOver = errors.New("the job has ended")

// Session is a client's side of a job's terminal. Next has one caller at a time;
// the rest may be called concurrently with it.
type Session struct {
	c   *Client
	dir string

	// Of the caller of Next.
	held    *Frame // taken from the stream but not told yet
	offset  int64
	control Control
	over    bool
}

// Chunk is one step of a session.
type Chunk struct {
	// Reset: Data is a snapshot that redraws everything.
	Reset      bool
	Data       []byte
	Offset     int64 // of the stream, behind Data
	Size       record.Size
	Controller string // who types; empty: nobody
	Control    bool   // this session does
	End        *record.Exit
}

// OpenSession attaches to the terminal of the job in dir. The errors are those of
// [Dial] and of the holder.
func OpenSession(ctx context.Context, dir string, a Attach) (*Session, error) {
	c, err := Dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := c.Stream(ctx, TypeAttach, a); err != nil {
		return nil, errors.Join(Parted(dir, err), c.Close())
	}
	return &Session{c: c, dir: dir}, nil
}

// Next waits for the next step. After an error that is not the context's the
// session is void, and the chunk says how far it came.
func (s *Session) Next(ctx context.Context) (Chunk, error) {
	chunk := Chunk{Offset: s.offset, Size: s.control.Size}
	if s.over {
		return chunk, ErrOver
	}
	for told := false; !told || chunk.End == nil && len(chunk.Data) < maxChunk; {
		f, err := s.frame(ctx, told)
		if err != nil {
			return chunk, err
		}
		if f == nil {
			break
		}
		if f.Type == TypeSnapshot && len(chunk.Data) > 0 || told && f.Type == TypeExit {
			s.held = f // begins a chunk of its own
			break
		}
		took, err := s.apply(f, &chunk)
		if err != nil {
			return chunk, err
		}
		told = told || took
	}
	s.offset = chunk.Offset
	chunk.Size, chunk.Controller, chunk.Control = s.control.Size, s.control.Controller, s.control.You
	return chunk, nil
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
func (s *Session) apply(f *Frame, chunk *Chunk) (bool, error) {
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
		chunk.End, s.over = &end, true
		return true, nil
	}
	return false, nil
}

// Write types p. The error is ErrNoHolder if the job has ended meanwhile.
func (s *Session) Write(ctx context.Context, p []byte) error { return s.c.Type(ctx, s.dir, p) }

// Resize says how large the viewer's terminal is. The size of who only watches is
// kept for when it takes control.
func (s *Session) Resize(ctx context.Context, size record.Size) error {
	return s.c.Do(ctx, TypeResize, size, nil)
}

// TakeControl takes keyboard and size over.
func (s *Session) TakeControl(ctx context.Context) error {
	return s.c.Do(ctx, TypeTakeControl, nil, nil)
}

// SetFacts replaces the facts of the viewer's terminal that were given when the session
// was opened. A holder of a build that does not know that keeps those.
func (s *Session) SetFacts(ctx context.Context, f TerminalFacts) error {
	err := s.c.Do(ctx, TypeTerminal, f, nil)
	if errors.Is(err, &Failure{Code: CodeUnknown}) {
		return nil
	}
	return err
}

// Close leaves the terminal. A connection that has broken already is as good as
// closed.
func (s *Session) Close() { _ = s.c.Close() }

// Type types p into the job in dir, in pieces that an instruction can carry.
func (c *Client) Type(ctx context.Context, dir string, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), inputStep)
		if err := c.Do(ctx, TypeInput, p[:n], nil); err != nil {
			return Parted(dir, err)
		}
		p = p[n:]
	}
	return nil
}

// Paste pastes p into the job in dir. A paste that is longer than an instruction
// can carry becomes several.
func (c *Client) Paste(ctx context.Context, dir string, p []byte) error {
	for len(p) > 0 {
		n := len(p)
		if n > maxInstruction {
			n = pieceOf(p[:maxInstruction])
		}
		if err := c.Do(ctx, TypePaste, p[:n], nil); err != nil {
			return Parted(dir, err)
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
