//go:build !linux

package proc

// SetSubreaper is not supported here: strays go to process 1.
func SetSubreaper() error { return ErrUnsupported }

// ReapStrays collects nothing here: no strays are adopted.
func (r *Reaper) ReapStrays(...int) []Reaped { return nil }
