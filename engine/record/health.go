package record

import (
	"strings"
	"time"
)

// HealthCheck is how the holder of a job finds out, while the job runs, whether it works.
type HealthCheck struct {
	// Check is a URL of http:// that is answered with 2xx or 3xx, a port of this machine as ":PORT" that
	// accepts connections, or else a command that succeeds, run by sh -c in the job's directory and
	// environment. Empty: there is no check.
	Check string `json:"check"`
	// Every is the time from the end of a check to the next one, 0: 10 seconds. Delay is the time before
	// the first one. A check fails if it takes longer than Timeout, 0: 10 seconds.
	Every   Milliseconds `json:"every_ms,omitempty"`
	Delay   Milliseconds `json:"delay_ms,omitempty"`
	Timeout Milliseconds `json:"timeout_ms,omitempty"`
	// Failures is how many checks in a row must fail until the job is unhealthy, 0: 3. Successes is how many
	// must succeed until it is healthy, 0: 1.
	Failures  int `json:"failures,omitempty"`
	Successes int `json:"successes,omitempty"`
	// Code is the status that an HTTP server must answer with; 0: 2xx or 3xx.
	Code int `json:"status_code,omitempty"`
}

// The values of a check that are used where it has none.
const (
	HealthEvery    = 10 * time.Second
	HealthTimeout  = 10 * time.Second
	HealthFailures = 3
)

// URL returns the URL that is asked, and whether the check is one.
func (c *HealthCheck) URL() (string, bool) { return c.Check, strings.HasPrefix(c.Check, "http://") }

// HealthState is what the last checks of a job have shown.
type HealthState string

// The states.
const (
	HealthUnknown HealthState = "unknown" // too few checks in this run
	Healthy       HealthState = "healthy"
	Unhealthy     HealthState = "unhealthy"
)

// Health is what is known of the health of a running job.
type Health struct {
	State HealthState `json:"state"`
	Since time.Time   `json:"since"`
	// Failures is how many checks have failed in a row.
	Failures int `json:"failures"`
	// Output is what the last check that failed printed, or why it failed. It is text of other programs,
	// unchanged: clean or escape it.
	Output string `json:"output,omitempty"`
}

// Is reports whether the state is known to be s; h may be nil.
func (h *Health) Is(s HealthState) bool { return h != nil && h.State == s }
