package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// FromReserve lets a write that the disk has no room for take the space that
// [Reserve] set aside for the same path.
func FromReserve() Option { return func(s *settings) { s.reserve = true } }

// Reserve sets aside space in which the file at path can be written later, up to
// size bytes of it, even when the disk is full by then: in a hidden file beside
// it. File systems that never write in place may still refuse.
func Reserve(path string, size int) error {
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

// fillReserve writes data into the reserve of path and returns its name.
func fillReserve(path string, data []byte, s settings) (temp string, err error) {
	temp = reserveOf(path)
	f, err := os.OpenFile(temp, os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	// What is there is overwritten in place, and only then is the rest given back.
	if err = fill(f, data, s); err == nil {
		err = f.Truncate(int64(len(data)))
	}
	if err == nil && s.sync {
		err = f.Sync()
	}
	return temp, errors.Join(err, f.Close())
}

func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
