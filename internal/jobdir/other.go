//go:build !linux && !darwin

package jobdir

import (
	"errors"
	"os"
)

// Alive is the pipe of a job's holder. This system has none.
type Alive struct{}

// OpenAlive fails on this system.
func OpenAlive(string) (*Alive, error) { return nil, errors.ErrUnsupported }

// Close does nothing on this system.
func (*Alive) Close() {}

// Release does nothing on this system.
func (*Alive) Release() {}

// Full reports whether the disk of a job's directory is full. It is not implemented on
// this system.
func Full(string) bool { return false }

// FreeSpace returns an error if there is no space for one more job. It is not
// implemented on this system.
func FreeSpace(string) error { return nil }

func lockRange(*os.File, int64, int64) error { return errors.ErrUnsupported }

func unlockRange(*os.File, int64, int64) error { return errors.ErrUnsupported }

func firstLockedByte(_ *os.File, _, to int64) int64 { return to }
