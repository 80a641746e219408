//go:build !linux

package proc

// SourceOf is not supported here.
func SourceOf(pid, fd int) (Source, error) { return Source{}, ErrUnsupported }

// TTYSource is not supported here.
func TTYSource(fd int) (Source, error) { return Source{}, ErrUnsupported }

// WaitsForInput is InputNone here: what a process waits for is not known.
func WaitsForInput([]Process, Source) Input { return InputNone }

// ListeningPorts is not supported here.
func ListeningPorts([]Process) ([]Port, error) { return nil, ErrUnsupported }
