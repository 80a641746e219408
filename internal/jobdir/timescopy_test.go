package jobdir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// elsewhere reads a file as if it were on another machine.
type elsewhere struct {
	*os.File
	cut error // of each request
}

func (e *elsewhere) Size(context.Context) (int64, error) {
	fi, err := e.Stat()
	return fi.Size(), errors.Join(e.cut, err)
}

func (e *elsewhere) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	return e.File.ReadAt(p, off)
}

func (*elsewhere) Holes(context.Context) ([]record.Range, error) { return nil, nil }

func TestTimesOfAnotherMachine(t *testing.T) {
	dir := t.TempDir()
	w, err := jobdir.CreateTimes(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	began := time.UnixMilli(1_700_000_000_000)
	add := func(off int64, after time.Duration) {
		t.Helper()
		if err := w.Add(off, began.Add(after), record.Size{Cols: 80, Rows: 24}); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(filepath.Join(dir, jobdir.TimesFile))
	if err != nil {
		t.Fatal(err)
	}
	from := &elsewhere{File: f}
	const ahead = time.Hour
	times := jobdir.CopyTimes(from, ahead)
	defer times.Close()
	writtenAt := func(off int64, want time.Duration, known bool) {
		t.Helper()
		at, ok := times.WrittenAt(t.Context(), off)
		if ok != known || known && !at.Equal(began.Add(ahead+want)) {
			t.Errorf("the byte at %d was written at %v, %v", off, at, ok)
		}
	}
	writtenAt(0, 0, false)
	add(0, 0)
	add(100, time.Second)
	writtenAt(99, 0, true)
	writtenAt(150, time.Second, true)
	add(200, 2*time.Second)
	writtenAt(250, 2*time.Second, true)
	from.cut = errors.New("cut")
	writtenAt(150, time.Second, true) // it was read before
	writtenAt(250, 0, false)          // there may be a later entry
}
