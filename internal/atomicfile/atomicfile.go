// Package atomicfile writes small files so that a reader sees either the complete old content or
// the complete new content.
//
// The content is written to a temporary file in the same directory, named ".NAME.tmp-*", which is
// then renamed ([Write]) or linked ([Create]) to the final name. The temporary file is removed
// before the call returns, even after an error. It remains only if the process dies meanwhile. A
// reserve ([Reserve]) is a temporary file that is created in advance.
//
// Atomic does not mean durable: without [Sync], the new content may be lost in a crash of the
// machine, but readers never see a part of it.
//
//	err := atomicfile.Write(path, data)                    // rename only
//	err := atomicfile.Write(path, data, atomicfile.Sync()) // and flushed
//
// All functions may be called concurrently; of several writers of one path the last rename wins.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// tempMark separates a temporary file's target name from its random part.
const tempMark = ".tmp-"

type settings struct {
	sync    bool
	reserve bool
}

// An Option changes how a file is written.
type Option func(*settings)

// Sync flushes the content to disk before the file gets its final name, and the directory
// afterwards, so that a successful call survives a power cut. It costs from a fraction of a
// millisecond to tens of milliseconds: do not use it on hot paths.
func Sync() Option { return func(s *settings) { s.sync = true } }

// Write replaces the file at path with data, or creates it.
func Write(path string, data []byte, opts ...Option) error {
	return put(path, data, opts, replace)
}

// Create writes the file at path only if that name does not exist yet. Otherwise the error matches
// [fs.ErrExist] and the existing file is unchanged. Of several callers exactly one succeeds.
func Create(path string, data []byte, opts ...Option) error {
	return put(path, data, opts, publishNew)
}

// publisher gives a temporary file its final name. It reports whether the temporary name no longer
// exists as a result.
type publisher func(temp, path string) (moved bool, err error)

func replace(temp, path string) (moved bool, err error) {
	err = os.Rename(temp, path)
	return err == nil, err
}

// publishNew gives the temporary file its final name unless that is taken.
func publishNew(temp, path string) (moved bool, err error) {
	err = os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return false, err
	}
	// File systems without hard links (FAT, some network and container mounts): an empty file
	// claims the name, then the rename fills it. A reader may briefly see it empty.
	claim, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false, err
	}
	err = claim.Close()
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return false, errors.Join(err, os.Remove(path))
	}
	return true, nil
}

func put(path string, data []byte, opts []Option, publish publisher) error {
	var s settings
	for _, o := range opts {
		o(&s)
	}
	err := putReserve(path, data, s, publish)
	if errors.Is(err, errNoReserve) {
		err = putTemp(path, data, s, publish)
	}
	if err == nil && s.sync {
		err = SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	return nil
}

// putTemp writes data to a temporary file and publishes it.
func putTemp(path string, data []byte, s settings, publish publisher) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+tempMark)
	if err != nil {
		return fmt.Errorf("cannot create a file in %s: %w", filepath.Dir(path), cause(err))
	}
	err = fill(temp, data, s)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	published := false
	if err == nil {
		published, err = publish(temp.Name(), path)
	}
	if !published {
		os.Remove(temp.Name())
	}
	return err
}

func fill(f *os.File, data []byte, s settings) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if s.sync {
		return f.Sync()
	}
	return nil
}

// cause removes the temporary name from an error: it is of no use to the caller.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// SyncDir flushes a directory's entries, so that created, renamed and removed files survive a power
// cut. A file system that cannot flush a directory counts as success: the caller could do nothing
// about it. On Windows none can, and the file system journals its entries.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// FromReserve lets a write use the space that [Reserve] reserved for the same path, if any: it then
// needs no free disk space, and no new file.
func FromReserve() Option { return func(s *settings) { s.reserve = true } }

// Reserve reserves space, in a hidden file beside it, so that up to size bytes can be written to
// the file at path later even if the disk is full by then. An existing reserve stays, since a disk
// that is full by now would not grant it again. File systems that never write in place may still
// refuse.
func Reserve(path string, size int) error {
	if reserved(path) >= int64(size) {
		return nil
	}
	if err := os.WriteFile(reserveOf(path), make([]byte, size), 0o600); err != nil {
		return errors.Join(fmt.Errorf("reserve %s: %w", path, cause(err)), Unreserve(path))
	}
	return nil
}

// Unreserve frees what Reserve reserved and no write used.
func Unreserve(path string) error {
	err := os.Remove(reserveOf(path))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func reserveOf(path string) string {
	dir, name := filepath.Split(path)
	return filepath.Join(dir, "."+name+tempMark+"reserve")
}

// reserved returns the size of the reserve for path, or -1 if there is none. Opening anything else than a
// regular file that was put there could block forever.
func reserved(path string) int64 {
	info, err := os.Lstat(reserveOf(path))
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// errNoReserve means that nothing was published because no reserve could be written.
var errNoReserve = errors.New("nothing is reserved")

// putReserve writes data into the reserve of path and publishes it. If publishing fails, the file
// stays as a reserve.
func putReserve(path string, data []byte, s settings, publish publisher) error {
	if !s.reserve || reserved(path) < 0 {
		return errNoReserve
	}
	temp := reserveOf(path)
	f, err := os.OpenFile(temp, os.O_WRONLY, 0)
	if err != nil {
		return errNoReserve
	}
	// The file is overwritten in place, and only then truncated.
	_, err = f.Write(data)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	if err == nil && s.sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errNoReserve
	}
	moved, err := publish(temp, path)
	if err == nil && !moved {
		err = os.Remove(temp)
	}
	return err
}
