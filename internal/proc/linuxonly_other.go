//go:build !linux

package proc

// Descendants returns ErrUnsupported: on other systems it would not be faster than Scan.
func (s *Scanner) Descendants(int, int) ([]Process, error) { return nil, ErrUnsupported }

// SourceOf is not supported on this system.
func (*Scanner) SourceOf(pid, fd int) (Source, error) { return Source{}, ErrUnsupported }

// TTYSource is not supported on this system.
func TTYSource(fd int) (Source, error) { return Source{}, ErrUnsupported }

// WaitsForInput returns InputNone on this system.
func (*Scanner) WaitsForInput([]Process, Source) Input { return InputNone }

// ListeningPorts is not supported on this system.
func ListeningPorts([]Process) ([]Port, error) { return nil, ErrUnsupported }

// SetSubreaper is not supported on this system: process 1 adopts orphans.
func SetSubreaper() error { return ErrUnsupported }

// ReapOrphans does nothing on this system, because no orphans are adopted.
func (r *Reaper) ReapOrphans() {}
