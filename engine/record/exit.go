package record

import "time"

// Reason says why a job ended.
type Reason string

// The reasons.
const (
	ReasonExit       Reason = "exit"
	ReasonSignal     Reason = "signal"
	ReasonKill       Reason = "kill"
	ReasonTimeout    Reason = "timeout"
	ReasonSpawn      Reason = "spawn"
	ReasonHolderDied Reason = "holder_died"
	ReasonReboot     Reason = "reboot"
)

// Exit says how a job ended: the end in state.json. The zero value means that the job
// has not ended.
type Exit struct {
	// At is the wall clock's time, never before the start. How long the job ran is Ran,
	// whatever was done to that clock meanwhile: the time that the machine slept does
	// not count. 0: not known.
	At  time.Time    `json:"at"`
	Ran Milliseconds `json:"ran_ms,omitempty"`
	// SinceBoot is how long the machine was up at the end, by a clock that cannot be set
	// and that goes on while the machine sleeps. 0: not known, or in another boot.
	SinceBoot Milliseconds `json:"boot_ms,omitempty"`
	Status    Status       `json:"status"`
	// Code is what the system reported: the job's own code, or 128 + signal.
	// Nil: not known.
	Code   *int   `json:"code"`
	Signal string `json:"signal,omitempty"` // "SIGKILL"; empty when no signal ended it
	Core   bool   `json:"core,omitempty"`
	Reason Reason `json:"reason"`
	// EndedBy is what asked for the end ("cli", "ui", "timeout"); empty: nothing did.
	EndedBy string `json:"ended_by,omitempty"`
	// Error is why a start failed.
	Error string `json:"error,omitempty"`
	Usage
	Survivors []Process `json:"survivors,omitempty"`
}

// Known reports whether there is an end.
func (e Exit) Known() bool { return e.Status != "" || e.Code != nil || !e.At.IsZero() }

// Usage is what the system counted for a job's process when it was reaped.
type Usage struct {
	User   Milliseconds `json:"user_ms,omitempty"`
	System Milliseconds `json:"system_ms,omitempty"`
	MaxRSS int64        `json:"max_rss,omitempty"` // bytes
}

// Process is one process that was described. PID and Start are its [Identity]; Start is
// empty where it is not known.
type Process struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	Start   string `json:"start,omitempty"`
}

// Identity returns what tells p from a later process with its number.
func (p Process) Identity() Identity { return Identity{PID: p.PID, Start: p.Start} }

// Unrecorded is an end that no disk has taken yet.
type Unrecorded struct {
	Exit Exit   `json:"end"`
	Why  string `json:"why"`
}
