//go:build !linux && !darwin

package jobdir

import "errors"

// Alive is the pipe of a job's holder. This system has none.
type Alive struct{}

// OpenAlive fails on this system.
func OpenAlive(string) (*Alive, error) { return nil, errors.ErrUnsupported }

// Close does nothing on this system.
func (*Alive) Close() {}

// Release does nothing on this system.
func (*Alive) Release() {}
