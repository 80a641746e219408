//go:build !linux

package proc

// SourceOf is not supported here.
func SourceOf(pid, fd int) (Source, error) { return Source{}, ErrUnsupported }

// TTYSource is not supported here.
func TTYSource(fd int) (Source, error) { return Source{}, ErrUnsupported }

// ReadsTTY is false here: what a process waits for is not known.
func ReadsTTY([]Process, uint64) bool { return false }

// WaitsForInput is InputNone here: what a process waits for is not known.
func WaitsForInput([]Process, Source) Input { return InputNone }

// Cwd is not supported here.
func Cwd(pid int) (string, error) { return "", ErrUnsupported }

// ListeningPorts is not supported here.
func ListeningPorts([]Process) ([]Port, error) { return nil, ErrUnsupported }
