//go:build !linux

package proc

// What follows is not supported on this system. Process 1 adopts orphans.

func (s *Scanner) Descendants(int, int) ([]Process, error) { return nil, ErrUnsupported }
func (*Scanner) SourceOf(pid, fd int) (Source, error)      { return Source{}, ErrUnsupported }
func TTYSource(fd int) (Source, error)                     { return Source{}, ErrUnsupported }
func (*Scanner) WaitsForInput([]Process, Source) Input     { return InputNone }
func ListeningPorts([]Process) ([]Port, error)             { return nil, ErrUnsupported }
func JobListening(int) string                              { return "" }
func SetSubreaper() error                                  { return ErrUnsupported }
func (r *Reaper) ReapOrphans()                             {}
func LockHolder(string) (p Process, ok bool)               { return p, false }
