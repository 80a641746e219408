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

// A Source is the bytes of one log, here or elsewhere, by absolute offset.
// Implementations are safe for concurrent use. A log may grow between calls.
type Source interface {
	// ReadAt reads at most len(p) bytes from off on. Fewer bytes without an
	// error are allowed; at the end of the log it returns 0 and io.EOF.
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	// Size is the offset behind the last byte written.
	Size(ctx context.Context) (int64, error)
}

// A Holer is a [Source] that can have a hole. Readers ask it once when they
// begin, and again when what they read looks as if the hole had grown.
type Holer interface {
	Hole(ctx context.Context) (Hole, error)
}

// A BlockSizer is a [Source] that says in what sizes it is best read: the first
// read of a walk, which the next ones double, and the largest. Without it they
// are 64 KiB and 512 KiB. A log on a slow line takes less, to show its end sooner.
type BlockSizer interface {
	BlockSizes() (first, most int)
}

// HoleOf is the hole of a source, empty if it has none.
func HoleOf(ctx context.Context, src Source) (Hole, error) {
	if h, ok := src.(Holer); ok {
		return h.Hole(ctx)
	}
	return Hole{}, nil
}

// A File is the log in a local file, open for reading. It is safe for
// concurrent use.
type File struct {
	path   string
	record func() Hole
	open   atomic.Pointer[os.File] // nil: not there yet

	mu     sync.Mutex // guards closed, and of two openings the first
	closed bool
}

var (
	_ Source = (*File)(nil)
	_ Holer  = (*File)(nil)
)

// Open opens the log at path for reading. record gives the hole as its owner
// wrote it down, and is called whenever a reader needs to know; nil means that
// nobody did, and the hole is then found in the file alone, where the file
// system can tell, without its number of lines.
func Open(path string, record func() Hole) (*File, error) {
	f := OpenLater(path, record)
	if err := f.begin(); err != nil {
		return nil, err
	}
	return f, nil
}

// OpenLater is [Open] for a log that is still to be made: it is empty until its
// file is there.
func OpenLater(path string, record func() Hole) *File {
	return &File{path: path, record: record}
}

// begin opens the file.
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

// file is the open file, nil as long as there is none.
func (f *File) file() (*os.File, error) {
	if file := f.open.Load(); file != nil {
		return file, nil
	}
	if err := f.begin(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f.open.Load(), nil
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if file := f.open.Load(); file != nil {
		return file.Close()
	}
	return nil
}

// ReadAt implements [Source].
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

// Size implements [Source].
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

// Hole implements [Holer]: the longer one of what was recorded and what the
// file shows. The record is written before the bytes are freed, so it is the
// longer one unless its writer died or there is none.
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
