// Package atomicfile writes small files so that a reader sees either the old
// content or the new one, whole, and never a part of it.
//
// Each write goes to a temporary file in the same directory, named
// ".NAME.tmp-*", and is then renamed ([Write]) or linked ([Create]) into place.
// The temporary file is gone when the call returns, whatever happened; only a
// process that dies in between leaves one behind. A reserve ([Reserve]) is such a
// file made beforehand.
//
// Atomic is not durable: without [Sync] the new content may be lost, never
// torn, when the machine goes down.
//
//	err := atomicfile.Write(path, data)                    // rename only
//	err := atomicfile.Write(path, data, atomicfile.Sync()) // and flushed
//
// All functions may be called concurrently; of several writers of one path the
// last rename wins.
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

// Sync flushes the content to disk before it gets its name, and the directory
// after, so that a call that returned nil survives a power cut. It costs a
// fraction of a millisecond to tens of them: keep it off hot paths.
func Sync() Option { return func(s *settings) { s.sync = true } }

// Write replaces the file at path by data, or creates it.
func Write(path string, data []byte, opts ...Option) error {
	return put(path, data, opts, replace)
}

// Create writes the file at path only if nothing has that name yet. Otherwise
// the error matches [fs.ErrExist] and what is there stays untouched. Of several
// callers exactly one succeeds.
func Create(path string, data []byte, opts ...Option) error {
	return put(path, data, opts, publishNew)
}

// publisher gives a temporary file its name. It reports whether the temporary name
// is gone by that.
type publisher func(temp, path string) (moved bool, err error)

func replace(temp, path string) (moved bool, err error) {
	err = rename(temp, path)
	return err == nil, err
}

// publishNew gives the temporary file its name unless that is taken.
func publishNew(temp, path string) (moved bool, err error) {
	if ok, err := renameNew(temp, path); ok {
		return err == nil, err
	}
	err = os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return false, err
	}
	// File systems without hard links (FAT, some network and container
	// mounts): an empty file of that name claims it, the rename fills it. A
	// reader may see it empty in between.
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
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	err := putReserve(path, data, s, publish)
	if errors.Is(err, errNoReserve) {
		err = putTemp(dir, name, path, data, s, publish)
	}
	if err == nil && s.sync {
		err = SyncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	return nil
}

// putTemp writes data to a temporary file and publishes that.
func putTemp(dir, name, path string, data []byte, s settings, publish publisher) error {
	temp, err := os.CreateTemp(dir, "."+name+tempMark)
	if err != nil {
		return fmt.Errorf("directory %s takes no new file: %w", filepath.Clean(dir), cause(err))
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

// cause drops the temporary name from an error: nobody can do anything with it.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// SyncDir flushes a directory's entries, so that files created, renamed or
// removed in it stay so after a power cut. File systems that cannot flush a
// directory are taken as done: there is nothing more a caller could do. On Windows
// none can, and the file system journals its entries.
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
