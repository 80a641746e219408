package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// FromReserve lets a write use the space that [Reserve] reserved for the same path, if any: it then
// needs no free disk space, and no new file.
func FromReserve() Option { return func(s *settings) { s.reserve = true } }

// Reserve reserves space, in a hidden file beside it, so that up to size bytes can be written to
// the file at path later even if the disk is full by then. An existing reserve stays, since a disk
// that is full by now would not grant it again. File systems that never write in place may still
// refuse.
func Reserve(path string, size int) error {
	if info, err := os.Lstat(reserveOf(path)); err == nil && info.Mode().IsRegular() && info.Size() >= int64(size) {
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

// errNoReserve means that nothing was published because no reserve could be written.
var errNoReserve = errors.New("nothing is reserved")

// putReserve writes data into the reserve of path and publishes it. If publishing fails, the file
// stays as a reserve.
func putReserve(path string, data []byte, s settings, publish publisher) error {
	if !s.reserve {
		return errNoReserve
	}
	temp := reserveOf(path)
	// If something else was put there, opening it could block forever.
	if info, err := os.Lstat(temp); err != nil || !info.Mode().IsRegular() {
		return errNoReserve
	}
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
