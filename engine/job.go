package engine

import (
	"time"

	"github.com/hobjobs/hob/internal/proc"
)

// ID names a job: a slug of its command and five random characters, unique in
// its state root, such as "npm-run-dev-7k2qm".
type ID string

// Status says where a job is. How it ended is [Exit], whether it can be reached
// is [Link]; the three are separate facts.
type Status string

// The statuses, as they stand in records and JSON.
const (
	Starting Status = "starting" // asked for, no first sign of life yet
	Running  Status = "running"  // alive, perhaps paused
	Stopping Status = "stopping" // asked to stop, not yet gone
	Exited   Status = "exited"   // ended by itself, with whatever code
	Killed   Status = "killed"   // hob was asked to end it, or a signal did
	Failed   Status = "failed"   // could not be started
	Lost     Status = "lost"     // gone without a record
)

// Finished reports whether s is an end: nothing follows it.
func (s Status) Finished() bool {
	switch s {
	case Exited, Killed, Failed, Lost:
		return true
	case Starting, Running, Stopping:
	}
	return false
}

// Reason says why a job ended.
type Reason string

// The reasons, as they stand in records and JSON.
const (
	ReasonExit       Reason = "exit"
	ReasonSignal     Reason = "signal"
	ReasonKill       Reason = "kill"
	ReasonTimeout    Reason = "timeout"
	ReasonSpawn      Reason = "spawn"
	ReasonHolderDied Reason = "holder_died"
	ReasonReboot     Reason = "reboot"
)

// Kind says what carries a job's output and input.
type Kind string

// The kinds, as they stand in records and JSON.
const (
	KindPTY     Kind = "pty"     // a pseudo-terminal
	KindFile    Kind = "file"    // the job owns its log files
	KindVirtual Kind = "virtual" // a program feeds it
)

// Link says whether the machine that runs a job can be asked about it.
type Link string

// The links, as they stand in records and JSON.
const (
	LinkNone        Link = "none" // local: there is nothing between
	LinkOK          Link = "ok"
	LinkUnreachable Link = "unreachable" // the last known status stands, marked stale
	LinkElsewhere   Link = "elsewhere"   // recorded on another machine or in another container
)

// Entry says what is to be seen of what is typed into a job's terminal.
type Entry string

// The kinds of entry, as they stand in records.
const (
	// EntryUnknown: there is no terminal that tells, or a program reads keys and
	// shows of them what it likes, as ssh does what another terminal likes.
	EntryUnknown Entry = ""
	EntryOpen    Entry = "open" // the terminal takes lines and shows them
	// EntryHidden: the terminal takes lines and shows nothing of them, as programs
	// have it that ask for a password.
	EntryHidden Entry = "hidden"
)

// Size is a terminal's size in cells. The zero value means unknown.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Unrecorded is an end that no disk has taken yet.
type Unrecorded struct {
	Exit Exit
	Why  string
}

// Exit says how a job ended. It is valid only for a finished job.
type Exit struct {
	Status Status
	// Code is what the system reported: the job's own code, or 128 + signal.
	// Nil when nobody knows it.
	Code   *int
	Signal string // "SIGKILL"; empty when no signal ended it
	Core   bool
	Reason Reason
	// EndedBy names who asked for the end ("cli", "ui", "timeout"); empty when
	// nobody did.
	EndedBy string
	// Error says in words why a start failed.
	Error string
	// At is what the wall clock said, never before the start. How long the job ran
	// is Ran, whatever was done to that clock meanwhile: the time that the machine
	// slept does not count. Zero: not known.
	At  time.Time
	Ran time.Duration
	// SinceBoot is how long the machine was up at the end, by a clock that nobody
	// sets and that goes on while it sleeps. Zero: not known, or in another boot.
	SinceBoot time.Duration
	Survivors []Process
	Usage     Usage
}

// Age is how long ago the end was at now, as well as the clocks can tell: by the
// one that nobody sets if that was in this boot, else by At.
func (e Exit) Age(now time.Time) time.Duration {
	if e.SinceBoot > 0 {
		return proc.SinceBoot() - e.SinceBoot + time.Until(now)
	}
	return now.Sub(e.At)
}

// Process is one process in words.
type Process struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	// Start tells it from a later process with its pid, as in proc.Identity. It is
	// opaque, and empty where it is not known.
	Start string `json:"-"`
}

// Usage is what the system counted for a job's process when it was reaped.
type Usage struct {
	User   time.Duration
	System time.Duration
	MaxRSS int64 // bytes
}

// Progress is what a job reported of its advance with OSC 9;4.
type Progress struct {
	State   string `json:"state"` // "normal", "error", "indeterminate", "paused"
	Percent int    `json:"percent"`
}

// Job is all that is known of a job at one moment. It is a value: it never
// changes after it was handed out. Its JSON form is the one of the command line
// (see MarshalJSON): every field present, null where it does not apply.
type Job struct {
	ID      ID
	Token   string // idempotency key; not part of the JSON form
	Name    string
	Command []string // nil for a script
	Script  string
	Host    string // empty: this machine
	Dir     string
	Backend string
	Kind    Kind

	Backgrounded bool
	Status       Status
	Paused       bool
	Exit         Exit // valid when Status.Finished()
	// Unrecorded is how the job ended, for who follows one whose end cannot be recorded;
	// else nil. Not part of the JSON form.
	Unrecorded *Unrecorded
	PID        int // 0: unknown or virtual
	CreatedAt  time.Time
	StartedAt  time.Time // zero: not started yet
	// StartedUp is how long the machine had run when the job started, without the
	// time that it slept: a clock that nobody sets. Zero: not known.
	StartedUp time.Duration
	// StopDeadline is when SIGKILL follows; zero unless stopping.
	StopDeadline time.Time
	// Deadline is when the timeout strikes; zero without one.
	Deadline time.Time

	OutputPath string // empty with Split
	StdoutPath string // only with Split
	StderrPath string
	Output     int64 // bytes ever written, all streams
	Dropped    int64 // bytes lost or freed by the cap
	LogLimit   int64 // 0: none, or the file system cannot

	Waiting bool // blocked reading its terminal
	// Entry is not part of the JSON form. Where it is unknown, only the question
	// tells whether the answer is a secret.
	Entry Entry
	// Alternate says that a program draws on the whole screen (an editor, a
	// pager): what it writes is no log to read. Not part of the JSON form.
	Alternate bool
	Title     string
	Progress  *Progress
	Ports     []int
	CPU       *float64 // percent of one core; nil: not known
	RSS       int64    // bytes; 0: not known
	Size      Size
	Cwd       string

	Timeout time.Duration // 0: none
	Grace   time.Duration

	EnvNames      []string
	RestartedFrom ID
	Link          Link
	LinkError     string
	StaleSince    time.Time // zero: the facts are current
	Machine       string
	CreatedBy     string
	Labels        map[string]string
	Split         bool
	Stdin         bool // input can be written to it
	Notify        bool
}

// HasTerminal reports whether the job has a screen, so that it can be shown, typed
// into by keys and attached to with [Engine.OpenTerminal].
func (j Job) HasTerminal() bool {
	return j.Kind == KindPTY || j.Kind == KindVirtual && j.Size != Size{}
}

// Streams returns the streams in which the job's output is kept.
func (j Job) Streams() []Stream {
	if j.Split {
		return []Stream{StreamStdout, StreamStderr}
	}
	return []Stream{StreamOutput}
}

// Ended returns how the job ended; ok is false while it has not.
func (j Job) Ended() (exit Exit, ok bool) { return j.Exit, j.Status.Finished() }

// Uptime returns how long the job has run at now, or ran until its end. It does not
// jump with the wall clock where the records and now (its monotonic reading) allow
// that; the time that the machine slept does not count then. Of a job elsewhere, or on a
// host that cannot be reached, it is known until the job was last seen to run, and no
// further.
func (j Job) Uptime(now time.Time) time.Duration {
	switch finished := j.Status.Finished(); {
	case j.StartedAt.IsZero(), finished && j.Exit.At.IsZero():
		return 0
	case finished && j.Exit.Ran > 0:
		return j.Exit.Ran
	case finished:
		return max(0, j.Exit.At.Sub(j.StartedAt))
	case (j.Link == LinkUnreachable || j.Link == LinkElsewhere) && !j.StaleSince.IsZero() && j.StaleSince.Before(now):
		return max(0, j.StaleSince.Sub(j.StartedAt))
	case j.StartedUp != 0:
		return max(0, proc.RunningAt(now)-j.StartedUp)
	}
	return max(0, now.Sub(j.StartedAt))
}

// Unsuccessful reports whether the job counts as failed for a person: failed,
// lost, or an exit or signal other than 0 that nobody asked for.
func (j Job) Unsuccessful() bool {
	switch j.Status {
	case Failed, Lost:
		return true
	case Exited:
		return j.Exit.Code == nil || *j.Exit.Code != 0
	case Killed:
		return j.Exit.Reason == ReasonTimeout || j.Exit.Reason == ReasonSignal && j.Exit.EndedBy == ""
	case Starting, Running, Stopping:
	}
	return false
}
