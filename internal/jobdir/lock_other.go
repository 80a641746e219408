//go:build !linux

package jobdir

import "github.com/hobjobs/hob/internal/plainfile"

// heldAt reports whether somebody has the file at path locked.
func heldAt(path string) (bool, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return held(f), nil
}
