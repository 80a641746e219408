package record

import "time"

// Reason is why a job ended.
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
	ReasonDependency Reason = "dependency"  // a job that it had to follow was not successful
	ReasonOOM        Reason = "oom"         // a cluster's scheduler ended it: out of memory
	ReasonPreempted  Reason = "preempted"   // a cluster's scheduler needed its resources
	ReasonNodeFailed Reason = "node_failed" // the cluster's node on which it ran failed
)

// Exit is how a job ended: the end in state.json. The zero value means that the job has not ended.
type Exit struct {
	// At is the wall clock's time, never before the start. Changes of that clock do not affect Ran,
	// which is how long the job ran, without the time that the machine was suspended. 0: not known.
	At  time.Time    `json:"at"`
	Ran Milliseconds `json:"ran_ms,omitempty"`
	// SinceBoot is the time from boot to the end, by a clock that cannot be set and that includes
	// suspended time. 0: not known, or in another boot.
	SinceBoot Milliseconds `json:"boot_ms,omitempty"`
	Status    Status       `json:"status"`
	// Code is the exit code that the system reported: the job's own, or 128 + signal. Nil: not
	// known.
	Code   *int   `json:"code"`
	Signal string `json:"signal,omitempty"` // "SIGKILL"; empty if no signal ended it
	Core   bool   `json:"core,omitempty"`
	Reason Reason `json:"reason"`
	// EndedBy is the client or limit that requested the end ("cli", "ui", "timeout"); empty if the
	// job ended by itself.
	EndedBy string `json:"ended_by,omitempty"`
	// Error is why a start failed.
	Error string `json:"error,omitempty"`
	Usage
	// OOMKills is how many processes of the job's control group the kernel killed while the job ran
	// because memory ran out, as far as the system counts that.
	OOMKills  int       `json:"oom_kills,omitempty"`
	Survivors []Process `json:"survivors,omitempty"`
}

// Known reports whether there is an end.
func (e Exit) Known() bool { return e.Status != "" || e.Code != nil || !e.At.IsZero() }

// Usage is the resource usage of a job's process, reported by the system when it was reaped.
type Usage struct {
	User   Milliseconds `json:"user_ms,omitempty"`
	System Milliseconds `json:"system_ms,omitempty"`
	// MaxRSS is the peak memory in bytes; 0 if it is not known, as for a job on this machine that
	// used less than its holder.
	MaxRSS int64 `json:"max_rss,omitempty"`
}

// Process describes a process. PID and Start are its [Identity]; Start is empty if it is not known.
type Process struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	Start   string `json:"start,omitempty"`
}

// Identity returns p's pid and start time, which together distinguish it from a later process with
// the same pid.
func (p Process) Identity() Identity { return Identity{PID: p.PID, Start: p.Start} }

// Unrecorded is an end that could not be written to disk yet.
type Unrecorded struct {
	Exit Exit   `json:"end"`
	Why  string `json:"why"`
}
