package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// FromReserve lets a write take the space that [Reserve] set aside for the same
// path, if it did: then it needs no room on the disk, and no new file.
func FromReserve() Option { return func(s *settings) { s.reserve = true } }

// Reserve sets aside space in which the file at path can be written later, up to
// size bytes of it, even when the disk is full by then: in a hidden file beside
// it. What was set aside before stays, since a disk that has become full would not
// give it again. File systems that never write in place may still refuse.
func Reserve(path string, size int) error {
	if info, err := os.Lstat(reserveOf(path)); err == nil && info.Mode().IsRegular() && info.Size() >= int64(size) {
		return nil
	}
	if err := os.WriteFile(reserveOf(path), make([]byte, size), 0o600); err != nil {
		return errors.Join(fmt.Errorf("reserve %s: %w", path, cause(err)), Unreserve(path))
	}
	return nil
}

// Unreserve gives back what Reserve set aside and no write took.
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

// errNoReserve means that nothing was published because no reserve could be
// written.
var errNoReserve = errors.New("nothing is reserved")

// putReserve writes data into the reserve of path and publishes that. What did not
// get its name stays as a reserve.
func putReserve(path string, data []byte, s settings, publish publisher) error {
	if !s.reserve {
		return errNoReserve
	}
	temp := reserveOf(path)
	// An open of something that was put there instead could wait for ever.
	if info, err := os.Lstat(temp); err != nil || !info.Mode().IsRegular() {
		return errNoReserve
	}
	f, err := os.OpenFile(temp, os.O_WRONLY, 0)
	if err != nil {
		return errNoReserve
	}
	// What is there is overwritten in place, and only then is the rest given back.
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
