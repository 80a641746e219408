package proc

// Descend is ErrUnsupported: this system lists all processes as quickly.
func (s *Scanner) Descend(int, int) ([]Process, error) { return nil, ErrUnsupported }
