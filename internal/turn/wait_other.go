//go:build !linux && !darwin

package turn

// Outcome is how a wait ended.
type Outcome int

// NotAsked means that this process is not to wait.
const NotAsked Outcome = 0

// Result is what a holder got before and by waiting.
type Result struct{ Outcome Outcome }

// Wait does nothing on this system.
func Wait(bool) Result { return Result{} }
