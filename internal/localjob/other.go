//go:build !linux && !darwin

package localjob

// Hold fails: this system has no holders.
func Hold() int { return 1 }

// InProcess holds no jobs on this system.
type InProcess struct{}

// Close does nothing.
func (*InProcess) Close() error { return nil }
