package record

import "time"

// Status is the stage of a job. How it ended is [Exit], whether it can be reached is [Link]; the
// three are separate facts.
type Status string

// The statuses.
const (
	Queued   Status = "queued"   // accepted and recorded, not begun: see State.Pending
	Starting Status = "starting" // requested, not yet running
	Running  Status = "running"  // alive, perhaps paused
	Stopping Status = "stopping" // asked to stop, still running
	Exited   Status = "exited"   // ended by itself, with any exit code
	Killed   Status = "killed"   // ended by hob on request, or by a signal
	Failed   Status = "failed"   // could not be started
	Lost     Status = "lost"     // ended without a record
)

// Finished reports whether s is final.
func (s Status) Finished() bool {
	switch s {
	case Exited, Killed, Failed, Lost:
		return true
	case Queued, Starting, Running, Stopping:
	}
	return false
}

// Link is the state of the connection to the machine that runs a job.
type Link string

// The links.
const (
	LinkNone        Link = "none"        // local: no connection is needed
	LinkOK          Link = "ok"          // the machine has answered
	LinkUnreachable Link = "unreachable" // the last known status applies, marked stale
	LinkElsewhere   Link = "elsewhere"   // recorded on another machine or in another container
)

// Entry is whether input typed into a job's terminal is displayed.
type Entry string

// The kinds of entry.
const (
	// EntryUnknown: there is no terminal to check, or a program reads single keys and displays them
	// as it likes, as ssh does.
	EntryUnknown Entry = ""
	EntryOpen    Entry = "open" // the terminal reads lines and echoes them
	// EntryHidden: the terminal reads lines without echo, as for a password prompt.
	EntryHidden Entry = "hidden"
)

// Identity identifies a process within one boot of a machine. Start is opaque: clock ticks since
// boot on Linux, microseconds since 1970 on macOS. The zero value is no process.
type Identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// IsZero reports whether id is no process.
func (id Identity) IsZero() bool { return id == Identity{} }

// StopRequest is a stop in progress.
type StopRequest struct {
	By       string    `json:"by"`
	Reason   Reason    `json:"reason"`
	At       time.Time `json:"at"`
	Deadline time.Time `json:"deadline"` // SIGKILL follows at this time
}

// Progress is the progress that a job reported with OSC 9;4.
type Progress struct {
	State   string `json:"state"` // "normal", "error", "indeterminate", "paused"
	Percent int    `json:"percent"`
}

// LastCommand is how a command ended that was typed into a shell, as the shell reported it with OSC 133;D.
type LastCommand struct {
	Code int       `json:"code"`
	At   time.Time `json:"at"`
}

// Range is a half-open range of absolute offsets.
type Range struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// Pending is why a job has not begun, and what decides when it does.
type Pending struct {
	// Name is the queue whose slot the job waits for; empty without one.
	Name string `json:"name,omitempty"`
	// Position is the job's place among those that wait in the queue; 1 is next, 0: not known.
	Position int `json:"position,omitempty"`
	// Paused means that the queue starts no job.
	Paused bool `json:"paused,omitempty"`
	// Reason is one line for people: "waiting for a slot (2 ahead)".
	Reason string `json:"reason"`
	After  []ID   `json:"after,omitempty"` // the jobs that it waits for
	// AfterNames are the names of the jobs of After, as far as they are known. They are not stored.
	AfterNames map[ID]string `json:"-"`
	// StartsAt is when it is expected to start; zero: not known.
	StartsAt time.Time `json:"starts_at,omitzero"`
}

// Scheduled is a job as a cluster's scheduler knows it. Fields are empty while they are not known.
type Scheduled struct {
	ID        string `json:"id,omitempty"`
	Partition string `json:"partition,omitempty"`
	Node      string `json:"node,omitempty"` // on which the job runs, or ran
}

// Runs counts the runs of a job that is started again when it ends.
type Runs struct {
	Count  int       `json:"count"`            // restarts so far
	NextAt time.Time `json:"next_at,omitzero"` // of the next run; zero while one runs
	// Last is how the run before ended; nil: there was none.
	Last *Exit `json:"last,omitempty"`
	// Failures is how many runs have failed in a row, up to the last one. A success resets it to 0, and so
	// does a run that has lasted for StableAfter.
	Failures int `json:"failures,omitempty"`
}

// State is everything recorded about a job since its start: state.json. Only its holder writes it;
// for a job on a host, the client that last observed it does.
type State struct {
	Version int `json:"version"` // of the file's format
	// Status is derived from the fields below, or from an observation of the job.
	Status Status `json:"-"`
	// Machine, BootID and PIDNS identify the pid namespace of the process numbers below.
	Machine string   `json:"machine"`
	BootID  string   `json:"boot_id"`
	PIDNS   string   `json:"pid_ns,omitempty"`
	Holder  Identity `json:"holder"`
	// Leader is the job's own process; zero if unknown or if the job is virtual.
	Leader    Identity  `json:"job"`
	Session   int       `json:"session,omitempty"`
	Socket    string    `json:"socket,omitempty"`   // where the holder listens
	Protocol  int       `json:"protocol,omitempty"` // spoken by the holder
	StartedAt time.Time `json:"started_at"`         // zero: not started yet
	// StartedUp is how long the machine had run when the job started, without suspended time. 0:
	// not known. It allows computing the uptime even if the wall clock is set.
	StartedUp Milliseconds `json:"started_up_ms,omitempty"`
	// UpBoot is the boot that StartedUp counts from if that is not BootID: for a job on a host,
	// BootID is the host's and StartedUp counts from this machine's boot.
	UpBoot       string       `json:"up_boot,omitempty"`
	Backgrounded bool         `json:"backgrounded"`
	Stopping     *StopRequest `json:"stopping,omitempty"` // nil: none
	Paused       bool         `json:"paused,omitempty"`
	Waiting      bool         `json:"waiting,omitempty"` // blocked reading its terminal
	// Entry: if it is unknown, only the prompt shows whether the input is secret.
	Entry Entry `json:"entry,omitempty"`
	// Alternate means that a full-screen program (an editor, a pager) is running: its output is not
	// readable as a log.
	Alternate bool      `json:"alternate,omitempty"`
	Title     string    `json:"title,omitempty"`
	Progress  *Progress `json:"progress,omitempty"`
	// Program has the reports of the programs in the terminal; nil: none. After the end it is
	// their last word.
	Program *Program `json:"program,omitempty"`
	// LastCommand is how the last command of a shell in the terminal ended; nil: not known.
	LastCommand *LastCommand `json:"last_command,omitempty"`
	Cwd         string       `json:"cwd,omitempty"`    // as the job reported it with OSC 7
	Health      *Health      `json:"health,omitempty"` // nil: no check, or it does not run
	Size        Size         `json:"size"`
	Deadline    time.Time    `json:"deadline,omitzero"` // of the timeout; zero without one
	// NoTerminal means that the requested terminal, for all of the job or for its input only, could
	// not be allocated: the job reads from a pipe and owns its logs.
	NoTerminal bool `json:"no_terminal,omitempty"`
	// Notifies means that the holder runs the user's command for the events of [notify], so that no client does.
	Notifies bool `json:"notifies,omitempty"`
	// NoLimit means that the file system cannot free bytes inside a file, so Request.LogLimit is
	// not enforced.
	NoLimit bool  `json:"no_limit,omitempty"`
	Dropped int64 `json:"dropped,omitempty"` // bytes lost or freed by the limit
	Hole    Range `json:"hole,omitzero"`     // range of output.log freed by the limit
	// HoleLines is the number of line feeds in the hole, -1 if not known.
	HoleLines int64     `json:"hole_lines,omitempty"`
	Pending   *Pending  `json:"queue,omitempty"` // nil: the job waits for nothing
	Scheduled Scheduled `json:"scheduled,omitzero"`
	Runs      *Runs     `json:"runs,omitempty"` // nil: its request has no restart policy
	// Exit is zero while the job has not ended.
	Exit Exit `json:"end,omitzero"`
	// HostDir is the job's directory on its host. HostHolder is the path there of the hob-holder that the job
	// was started with; empty: scripts look after it.
	HostDir    string `json:"host_dir,omitempty"`
	HostHolder string `json:"host_holder,omitempty"`
	// Output is the number of bytes ever written to all streams. For a job on this machine it comes
	// from the file sizes.
	Output int64 `json:"output,omitempty"`

	// Line is the last line of the output of a job that has not ended, as the job printed it: clean or
	// escape it. If the job needs input, it is usually the question. Empty: none or unknown.
	Line       string    `json:"-"`
	Bells      int       `json:"-"` // rung so far
	Link       Link      `json:"-"`
	LinkError  string    `json:"-"` // why the job cannot be reached
	StaleSince time.Time `json:"-"` // zero: the facts are current
	// Unrecorded is the job's end if its holder knows it and cannot record it; the files show a
	// running job. Otherwise nil.
	Unrecorded *Unrecorded `json:"-"`
}

// Rest clears the fields that only apply to a job that has not ended.
func (s *State) Rest() {
	s.Stopping, s.Waiting, s.Entry, s.Alternate, s.Paused, s.Progress = nil, false, EntryUnknown, false, false, nil
	s.Pending, s.Health = nil, nil
	s.Program = s.Program.FinalReports()
	if s.Runs.Between() {
		s.Runs = &Runs{
			Count:    s.Runs.Count,
			Last:     s.Runs.Last,
			Failures: s.Runs.Failures,
		}
	}
}

// StopDeadline is when SIGKILL follows; zero unless the job is being stopped.
func (s *State) StopDeadline() time.Time {
	if s.Stopping == nil {
		return time.Time{}
	}
	return s.Stopping.Deadline
}

// Reason is why a job ended.
type Reason string

// The reasons.
const (
	ReasonExit       Reason = "exit"        // its process exited
	ReasonSignal     Reason = "signal"      // a signal that hob did not send
	ReasonKill       Reason = "kill"        // a stop was requested
	ReasonTimeout    Reason = "timeout"     // its timeout was over
	ReasonUnhealthy  Reason = "unhealthy"   // its health check failed: a run that was followed by another one
	ReasonSpawn      Reason = "spawn"       // it could not be started
	ReasonHolderDied Reason = "holder_died" // its holder died, or the program that performed it
	ReasonReboot     Reason = "reboot"      // the machine was restarted
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
	// Error is why a start failed, or what the health check of an unhealthy job reported.
	Error string `json:"error,omitempty"`
	// Summary is the line of the output that says why the job failed, or else its last line, found when
	// the end was recorded. It is text of the job, unchanged: clean or escape it.
	Summary string `json:"summary,omitempty"`
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

// Ended returns how the job ended; ok is false while it has not.
func (s State) Ended() (exit Exit, ok bool) { return s.Exit, s.Status.Finished() }

// LeftNothing reports whether the job has ended and left no processes.
func (s State) LeftNothing() bool { return s.Status.Finished() && len(s.Exit.Survivors) == 0 }

// NeverRan reports whether the job has ended and nothing of it was started: its program or directory does not exist, the
// program that was starting it was killed, the connection to its host broke, or the process in which it waited was
// killed.
func (s State) NeverRan() bool {
	unstarted := s.Exit.Reason == ReasonSpawn || s.Exit.Reason == ReasonHolderDied
	return unstarted && s.StartedAt.IsZero()
}

// Unsuccessful reports whether the user should consider the job failed: failed, lost, or ended with
// a nonzero exit code or a signal that was not requested.
func (s State) Unsuccessful() bool {
	switch s.Status {
	case Failed, Lost:
		return true
	case Exited:
		return s.Exit.Code == nil || *s.Exit.Code != 0
	case Killed:
		return s.Exit.killedUnasked()
	case Queued, Starting, Running, Stopping:
	}
	return false
}

// NeedsInput reports whether the job needs the user: it waits for input, as the system knows (Waiting), or a program
// in its terminal reports that it is blocked.
func (s State) NeedsInput() bool { return s.Waiting || s.Program.Says(ProgramBlocked) }

// killedUnasked reports whether a process that was killed was so by no user or program that asked hob for it.
func (e Exit) killedUnasked() bool {
	switch e.Reason {
	case ReasonTimeout, ReasonOOM, ReasonUnhealthy:
		return true
	case ReasonSignal:
		return e.EndedBy == ""
	default:
		return false
	}
}

// LastRun returns the state as if the job had ended with the last run that was followed by another one,
// or that is; ok is false if there is none.
func (s State) LastRun() (last State, ok bool) {
	if s.Runs == nil || s.Runs.Last == nil {
		return s, false
	}
	s.Exit = *s.Runs.Last
	s.Status = s.Exit.Status
	return s, true
}
