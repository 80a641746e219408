// Package notes keeps what programs of hob remember about a job beside its records: how far a client has
// read the output, which end an agent was told of, which waits it has begun.
//
// A note belongs to a key, the name of a client or of one of its purposes. It exists as long as the job,
// and every program of the user finds it. The number under the name of a client is also its cursor,
// which [engine.Handle.Poll] reads and moves. A program that embeds the engine keeps its notes itself:
// they are no part of the engine's API.
package notes

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Book has the notes about the jobs of one state directory. It holds nothing open.
type Book struct{ stateDir string }

// Of returns the notes about the jobs of the state directory.
func Of(stateDir string) Book { return Book{stateDir} }

// Places of jobs in the state directory. A job that is cleared moves from the first to the second.
var places = [...]string{"jobs", "trash"}

// Dir returns the directory of a job that has not been cleared.
func (b Book) Dir(job string) string { return filepath.Join(b.stateDir, places[0], job) }

// Number returns the number under key, 0 if there is none.
func (b Book) Number(job, key string) int64 { return jobdir.ReadCursor(b.Dir(job), key) }

// SetNumber records the number n, which is not negative, under key.
func (b Book) SetNumber(job, key string, n int64) error {
	return jobdir.WriteCursor(b.Dir(job), key, n)
}

// Lock locks the number under key until the lock is closed, also for other programs and for polls. It
// fails if another one keeps the lock for more than a moment.
func (b Book) Lock(job, key string) (io.Closer, error) { return jobdir.LockCursor(b.Dir(job), key) }

// WriteText records text under kind and name, which are names of files, about a job that may be cleared
// at the same time: the text is found in the trash, too. The error matches [fs.ErrNotExist] if there is
// no such job any more.
func (b Book) WriteText(job, kind, name string, text []byte) (err error) {
	for _, place := range places {
		dir := filepath.Join(b.stateDir, place, job, kind)
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		err = atomicfile.Write(filepath.Join(dir, name), text)
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// Texts calls yield with each text under kind and name, those about the given job first, until yield
// returns false. It skips texts that cannot be read or are longer than limit bytes.
func (b Book) Texts(job, kind, name string, limit int64) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		if !jobdir.ValidID(job) {
			return
		}
		for _, of := range [...]string{job, "*"} {
			for _, place := range places {
				for _, file := range b.match(path.Join(place, of, kind, name)) {
					if text, err := plainfile.Read(file, limit); err == nil && !yield(text) {
						return
					}
				}
			}
		}
	}
}

// match returns the files in the state directory that match a pattern.
func (b Book) match(pattern string) []string {
	found, err := fs.Glob(os.DirFS(b.stateDir), pattern)
	if err != nil {
		return nil // a name with the syntax of patterns
	}
	for i, file := range found {
		found[i] = filepath.Join(b.stateDir, filepath.FromSlash(file))
	}
	return found
}

// LastRecorded returns when the state of a job was last recorded on this machine; zero if it is not
// known.
func (b Book) LastRecorded(job string) time.Time {
	fi, err := os.Stat(filepath.Join(b.Dir(job), jobdir.StateFile))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}
