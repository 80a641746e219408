package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// sharedTerminal is one of several sessions: another one has control until it is taken.
type sharedTerminal struct {
	Terminal
	has     bool
	resized error
	did     []string
}

func (s *sharedTerminal) Write(_ context.Context, p []byte) error {
	if !s.has {
		return &Error{Op: "write", Err: ErrNotControl}
	}
	s.did = append(s.did, "write "+string(p))
	return nil
}

func (s *sharedTerminal) TakeControl(context.Context) error {
	s.has = true
	s.did = append(s.did, "take")
	return nil
}

func (s *sharedTerminal) Resize(_ context.Context, z Size) error {
	s.did = append(s.did, fmt.Sprintf("resize %dx%d", z.Cols, z.Rows))
	return s.resized
}

func TestTypeTakesControl(t *testing.T) {
	for _, tc := range []struct {
		name       string
		known, has bool
		want       string
	}{
		{name: "it has it", known: true, has: true, want: "write x"},
		{name: "another has it", want: "take, resize 80x24, write x"},
		{name: "another has taken it since", known: true, want: "take, resize 80x24, write x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			term := &sharedTerminal{has: tc.has}
			if err := Type(t.Context(), term, tc.known, Size{Cols: 80, Rows: 24}, []byte("x")); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(term.did, ", "); got != tc.want {
				t.Errorf("did %q, want %q", got, tc.want)
			}
		})
	}
	broken := errors.New("broken")
	if err := Type(t.Context(), &sharedTerminal{resized: broken}, false, Size{Cols: 80, Rows: 24}, []byte("x")); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if err := Type(t.Context(), failingTerminal{broken}, true, Size{}, []byte("x")); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// The size of a caller's terminal may be unknown, or too small to show anything of the job, and the size of a
// job's terminal may be fixed. The caller can type all the same.
func TestTypeWithoutSize(t *testing.T) {
	for _, size := range []Size{{}, {Cols: 80}, {Rows: 24}} {
		term := &sharedTerminal{}
		if err := Type(t.Context(), term, false, size, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(term.did, ", "), "take, write x"; got != want {
			t.Errorf("with size %v: did %q, want %q", size, got, want)
		}
	}
	term := &sharedTerminal{resized: fmt.Errorf("%w: no stty", ErrUnsupported)}
	if err := Type(t.Context(), term, false, Size{Cols: 80, Rows: 24}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(term.did, ", "), "take, resize 80x24, write x"; got != want {
		t.Errorf("with a fixed size: did %q, want %q", got, want)
	}
}

// failingTerminal cannot be written to.
type failingTerminal struct{ err error }

func (f failingTerminal) Next(context.Context) (TerminalChunk, error)   { return TerminalChunk{}, f.err }
func (f failingTerminal) Write(context.Context, []byte) error           { return f.err }
func (f failingTerminal) Resize(context.Context, Size) error            { return f.err }
func (f failingTerminal) TakeControl(context.Context) error             { return f.err }
func (f failingTerminal) SetFacts(context.Context, TerminalFacts) error { return f.err }
func (f failingTerminal) Close() error                                  { return nil }
