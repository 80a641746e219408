//go:build linux || darwin

package local_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// A client that reads a new job at once may open its output before its holder has created the file.
func TestOutputOpenedBeforeStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, pty := range []bool{true, false} {
		l, err := p.makeHeld(engine.Spec{PTY: pty, Script: "printf words"})
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.b.Open(t.Context(), l.Record)
		if err != nil {
			t.Fatal(err)
		}
		out, err := run.OpenOutput(t.Context(), engine.StreamOutput)
		if err != nil {
			t.Fatalf("pty %v: %v", pty, err)
		}
		defer out.Close()
		if size, err := out.Size(t.Context()); size != 0 || err != nil {
			t.Errorf("pty %v: size %d, %v", pty, size, err)
		}
		p.launch(t, l).wait(t)
		buf := make([]byte, 20)
		if n, err := out.ReadAt(t.Context(), buf, 0); string(buf[:n]) != "words" || err != nil {
			t.Errorf("pty %v: %q, %v", pty, buf[:n], err)
		}
	}
}

func TestDeletedOutput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "echo words"})
	s.wait(t)
	if err := os.Remove(filepath.Join(s.dir, jobdir.OutputFile)); err != nil {
		t.Fatal(err)
	}
	_, err := s.run.OpenOutput(context.Background(), engine.StreamOutput)
	if !errors.Is(err, engine.ErrNotFound) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened with %v", err)
	}
}
