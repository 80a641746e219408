//go:build !linux

package proc

// Descend is ErrUnsupported: no other system tells children faster than all processes.
func (s *Scanner) Descend(int, int) ([]Process, error) { return nil, ErrUnsupported }

// SourceOf is not supported here.
func SourceOf(pid, fd int) (Source, error) { return Source{}, ErrUnsupported }

// TTYSource is not supported here.
func TTYSource(fd int) (Source, error) { return Source{}, ErrUnsupported }

// WaitsForInput is InputNone here: what a process waits for is not known.
func WaitsForInput([]Process, Source) Input { return InputNone }

// ListeningPorts is not supported here.
func ListeningPorts([]Process) ([]Port, error) { return nil, ErrUnsupported }

// SetSubreaper is not supported here: strays go to process 1.
func SetSubreaper() error { return ErrUnsupported }

// ReapStrays collects nothing here: no strays are adopted.
func (r *Reaper) ReapStrays(...int) []Reaped { return nil }
