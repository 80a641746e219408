package record

import "time"

// NotifyFailure is how the command of the user's notifications last failed for a job.
type NotifyFailure struct {
	// Event is the event that it was run for, such as "failed".
	Event string    `json:"event"`
	At    time.Time `json:"at"`
	// Error is how it ended, or why it could not be started. Output is the last line that it printed, empty if it
	// printed none. Both are text of other programs, unchanged: clean or escape it.
	Error  string `json:"error"`
	Output string `json:"output,omitempty"`
}
