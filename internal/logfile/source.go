// Package logfile appends to the logs of jobs, limits their size, searches them, and reads
// them as bytes or lines.
//
// # Offsets
//
// An offset in a log is the number of bytes written before it since the start of the job.
// It never changes: logs are not rotated. A log that exceeds its limit keeps its first
// [Head] bytes and loses the oldest bytes after them, which are freed inside the file.
// This [Hole] is the only place where bytes are missing. Readers skip it and report how
// much they skipped.
//
// # Lines
//
// A line ends with LF. Its text is what a terminal would show of that line alone: without
// escape sequences and control characters, with text after a carriage return or backspace
// overwriting earlier text, and with U+FFFD for invalid UTF-8. The text after the last LF
// is a line, too. Lines are numbered from 0, the first one ever written. The lines in the
// hole are included if they were counted before they were dropped ([Hole.Lines]); if not,
// numbers start at the first line after the hole, and lines before it have none.
//
// # Sources
//
// Readers take a [Source]: a local [File], or a log on a host. They read it in blocks, use
// a bounded amount of memory regardless of the length of a log or a line, and stop when
// their context ends. They get the source's size once, at the beginning.
//
//	f, err := logfile.Open(path, record)
//	err = logfile.Tail(ctx, f, logfile.Query{Limit: 200}, func(l logfile.Line) error {
//		fmt.Println(l.Text)
//		return nil
//	})
//
// A log has one [Writer]. Writes never fail: bytes that cannot be written, for example
// because the disk is full, are counted as lost.
package logfile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/hobjobs/hob/internal/plainfile"
)

// A Source provides the bytes of a local or remote log. Implementations must be safe for
// concurrent use. The log may grow between calls.
type Source interface {
	// ReadAt reads at most len(p) bytes from off on. It may read fewer bytes without
	// an error. At the end of the log it returns 0 and io.EOF.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	// Size returns the offset after the last byte written.
	Size(ctx context.Context) (int64, error)
}

// A HoleReporter is a [Source] that can have a hole. Readers call Hole at the beginning,
// and again when the hole may have grown.
type HoleReporter interface {
	Hole(ctx context.Context) (Hole, error)
}

// A BlockSizer is a [Source] that defines the sizes in which it is read: that of the first
// block, which doubles with each further block, and the largest. The defaults are 64 KiB
// and 512 KiB. On a slow connection, smaller blocks show the end of a log sooner.
type BlockSizer interface {
	BlockSizes() (first, largest int)
}

// HoleOf returns the hole of a source, empty if it has none.
func HoleOf(ctx context.Context, src Source) (Hole, error) {
	if h, ok := src.(HoleReporter); ok {
		return h.Hole(ctx)
	}
	return Hole{}, nil
}

// A File is a log in a local file, open for reading. It is safe for concurrent use.
type File struct {
	path   string
	record func() Hole
	open   atomic.Pointer[os.File] // nil until the file exists

	mu     sync.Mutex // held while opening; guards closed
	closed bool
}

var (
	_ Source       = (*File)(nil)
	_ HoleReporter = (*File)(nil)
)

// Open opens the log at path for reading. record returns the hole that the writer has
// recorded, and is called whenever a reader needs it. If record is nil, the hole is
// determined only from the file system, if that supports it, without a number of lines.
func Open(path string, record func() Hole) (*File, error) {
	f := OpenLater(path, record)
	if err := f.begin(); err != nil {
		return nil, err
	}
	return f, nil
}

// OpenLater is [Open] for a file that may not exist yet. The log is empty until then.
func OpenLater(path string, record func() Hole) *File {
	return &File{path: path, record: record}
}

func (f *File) begin() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return fs.ErrClosed
	}
	if f.open.Load() != nil {
		return nil
	}
	file, err := plainfile.Open(f.path)
	if err != nil {
		return err
	}
	f.open.Store(file)
	return nil
}

// file returns the open file, nil if it does not exist yet.
func (f *File) file() (*os.File, error) {
	if file := f.open.Load(); file != nil {
		return file, nil
	}
	if err := f.begin(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f.open.Load(), nil
}

func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if file := f.open.Load(); file != nil {
		return file.Close()
	}
	return nil
}

func (f *File) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	file, err := f.file()
	if err != nil {
		return 0, err
	}
	if file == nil {
		return 0, io.EOF
	}
	n, err := file.ReadAt(p, off)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (f *File) Size(context.Context) (int64, error) {
	file, err := f.file()
	if err != nil || file == nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Hole implements [HoleReporter]. It returns the recorded hole or the one in the file,
// whichever is longer. The hole is recorded before the bytes are freed, so the one in the
// file is longer only if nothing was recorded.
func (f *File) Hole(context.Context) (Hole, error) {
	file, err := f.file()
	if err != nil || file == nil {
		return Hole{}, err
	}
	var recorded Hole
	if f.record != nil {
		recorded = f.record()
	}
	found, err := findHole(file)
	if err != nil || found.Len() <= recorded.Len() {
		return recorded, err
	}
	return found, nil
}
