//go:build !linux && !darwin

package ahead

// Begin starts a holder ahead of a job; there are none on this system.
func Begin([]string) bool { return false }

// Asked is the id of a job that was asked of its holder: none here.
func Asked() string { return "" }
