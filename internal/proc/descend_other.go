//go:build !linux

package proc

// Descend is ErrUnsupported: no other system tells children faster than all processes.
func (s *Scanner) Descend(int, int) ([]Process, error) { return nil, ErrUnsupported }
