package engine

import (
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/ending"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/internal/units"
)

// What package record stores of a job, and what clients and backends pass to each other. The names are
// those of package record, so that a program that uses the engine imports one package.
type (
	// ID names a job in one state directory, such as "npm-run-dev-7k2qm".
	ID = record.ID
	// Request is what was asked for: the command, where it runs, its limits and its labels.
	Request = record.Request
	// State is what is known of a job since it was requested: its status, its process, and what it reports.
	State = record.State
	// Status is where a job is in its life: queued, starting, running, stopping, or how it ended.
	Status = record.Status
	// Exit is how a job ended: with which status, code or signal, why, when, and what it used and left.
	Exit = record.Exit
	// Reason is why a job ended, as far as hob knows.
	Reason = record.Reason
	// Usage is what the processes of a job used until its end.
	Usage = record.Usage
	// Link is whether the machine that runs a job can be reached.
	Link = record.Link
	// Kind is how a job produces its output: in a terminal, in files, or as a program that writes it.
	Kind = record.Kind
	// Input is what the stdin of a job is.
	Input = record.Input
	// Entry is how a terminal shows what is typed: openly, or not at all, as for a password.
	Entry = record.Entry
	// Size is the size of a terminal in columns and rows.
	Size = record.Size
	// Milliseconds is a duration as records store it.
	Milliseconds = record.Milliseconds
	// Range is a part of an output, from one offset to another.
	Range = record.Range
	// Process is a process of a job, as it was seen.
	Process = record.Process
	// Identity is the number and the start time of a process, which no later process shares.
	Identity = record.Identity
	// Progress is how far a job is, as it reports with OSC 9;4.
	Progress = record.Progress
	// Pending is why a job has not begun, and when it may.
	Pending = record.Pending
	// Scheduled is what the scheduler of a cluster knows of a job.
	Scheduled = record.Scheduled
	// Runs are the runs of a job whose command is started again when it ends.
	Runs = record.Runs
	// Unrecorded is an end that could not be written to disk yet.
	Unrecorded = record.Unrecorded

	// Stream is one of the outputs of a job: stdout and stderr together, or one of them.
	Stream = record.Stream
	// Output reads one stream by offset. Backends implement it; programs use [Handle.Log].
	Output = record.Output
	// HealthCheck is how to find out whether a running job works, see [Spec].Health.
	HealthCheck = record.HealthCheck
	// Health is the result of the health checks of a running job.
	Health = record.Health
	// HealthState is whether a job is healthy. It is not known before enough checks have been made.
	HealthState = record.HealthState
	// NotifyFailure is how the command of [notify] last failed.
	NotifyFailure = record.NotifyFailure
	// Note is a notification that a job has requested, with OSC 9, OSC 99 or OSC 777.
	Note = record.Note
	// Urgency is how urgent a [Note] is, if it is not normal.
	Urgency = record.Urgency
	// StopOptions are options of a stop, such as the grace time after which the job is killed.
	StopOptions = record.StopOptions
	// StopReport is the result of a stop: how long it took, whether the job had to be killed, and what still runs.
	StopReport = record.StopReport
	// StopRequest is a stop that was requested and has not ended.
	StopRequest = record.StopRequest
	// Screen is what a job's terminal shows.
	Screen = record.Screen
	// Terminal is a live session with a job's terminal, see [Handle.Terminal].
	Terminal = record.Terminal
	// TerminalOptions describe the viewer for whom a session is opened.
	TerminalOptions = record.TerminalOptions
	// TerminalFacts are properties of the viewer's terminal, with which the job's queries are answered.
	TerminalFacts = record.TerminalFacts
	// TerminalChunk is a part of what a session receives: output, or a snapshot that redraws the screen.
	TerminalChunk = record.TerminalChunk
)

// The values of [HealthState], [Kind], [Stream], [Input], [Status], [Link], [Entry] and [Reason].
const (
	HealthUnknown = record.HealthUnknown // too few checks in this run
	Healthy       = record.Healthy
	Unhealthy     = record.Unhealthy

	KindPTY     = record.KindPTY     // a pseudo-terminal
	KindFile    = record.KindFile    // the job owns its log files
	KindVirtual = record.KindVirtual // a program writes the output

	StreamOutput = record.StreamOutput // stdout and stderr, in the order written
	StreamStdout = record.StreamStdout // only for jobs with Split
	StreamStderr = record.StreamStderr // only for jobs with Split

	InputPTY       = record.InputPTY       // the terminal that also receives its output
	InputTTY       = record.InputTTY       // a terminal for input only
	InputPipe      = record.InputPipe      // what clients write
	InputHook      = record.InputHook      // a function of the program that performs it
	InputInherited = record.InputInherited // a descriptor of the program that started it
	InputNull      = record.InputNull      // nothing

	Queued   = record.Queued   // accepted and recorded, not begun: see State.Pending
	Starting = record.Starting // requested, not yet running
	Running  = record.Running  // alive, perhaps paused
	Stopping = record.Stopping // asked to stop, still running
	Exited   = record.Exited   // ended by itself, with any exit code
	Killed   = record.Killed   // ended by hob on request, or by a signal
	Failed   = record.Failed   // could not be started
	Lost     = record.Lost     // ended without a record

	LinkNone        = record.LinkNone        // local: no connection is needed
	LinkOK          = record.LinkOK          // the machine has answered
	LinkUnreachable = record.LinkUnreachable // the last known status applies, marked stale
	LinkElsewhere   = record.LinkElsewhere   // recorded on another machine or in another container

	EntryUnknown = record.EntryUnknown // there is no terminal to check, or a program reads single keys
	EntryOpen    = record.EntryOpen    // the terminal reads lines and echoes them
	EntryHidden  = record.EntryHidden  // the terminal reads lines and does not echo them, as for a password

	ReasonExit       = record.ReasonExit       // its process exited
	ReasonSignal     = record.ReasonSignal     // a signal that hob did not send
	ReasonKill       = record.ReasonKill       // a stop was requested
	ReasonTimeout    = record.ReasonTimeout    // its timeout was over
	ReasonSpawn      = record.ReasonSpawn      // it could not be started
	ReasonHolderDied = record.ReasonHolderDied // its holder died, or the program that performed it
	ReasonReboot     = record.ReasonReboot     // the machine was restarted
	ReasonDependency = record.ReasonDependency // a job that it had to follow was not successful
	ReasonOOM        = record.ReasonOOM        // a cluster's scheduler ended it: out of memory
	ReasonPreempted  = record.ReasonPreempted  // a cluster's scheduler needed its resources
	ReasonNodeFailed = record.ReasonNodeFailed // the cluster's node on which it ran failed
)

// KillNow is the grace period of a job that is killed at once, see [StopOptions].
const KillNow = record.KillNow

// Job is a job at one moment: its request, its state, and what was found out apart from its
// records. It is a value and does not change after it is returned. Its JSON form is that of the
// command line (see MarshalJSON): every field is present, and null where it does not apply.
type Job struct {
	// Request is what was requested. If a terminal was requested but could not be allocated, Kind
	// is KindFile.
	Request `json:"-"`
	// State is the job's state. Its Exit is valid if Status.Finished().
	State `json:"-"`

	OutputPath string // empty with Split
	StdoutPath string // only with Split
	StderrPath string // only with Split

	Ports []int    // on which its processes listen
	CPU   *float64 // percent of one core; nil: not known
	RSS   int64    // bytes; 0: not known

	// NotifyFailed is how the command of [notify] last failed for the job; nil: it did not. [Handle.Facts] sets it,
	// [Engine.List] does not.
	NotifyFailed *NotifyFailure

	// Seen reports that the user has seen the end of an unsuccessful job; see [Engine.MarkSeen].
	Seen bool
}

// HasTerminal reports whether the job has a screen, so that it can be displayed, accepts keys, and
// can be attached to with [Handle.Terminal].
func (j Job) HasTerminal() bool {
	return j.Kind == KindPTY || j.Kind == KindVirtual && j.Size != Size{}
}

// CommandLine returns the command or script as a user would type it.
func (j Job) CommandLine() string {
	if j.Script != "" {
		return j.Script
	}
	return shellword.Join(j.Command)
}

// logCap returns how many bytes of the logs are kept, or 0 if there is no limit or the file system
// cannot enforce one.
func (j *Job) logCap() int64 {
	if j.NoLimit {
		return 0
	}
	return max(0, j.LogLimit)
}

// LeftRunning reports whether the job has ended and has left processes on this machine that still run,
// as far as this machine can tell. It cannot be cleared until [Handle.Stop] has ended them.
func (j Job) LeftRunning() bool {
	return j.here() && j.Status.Finished() && len(j.Exit.Survivors) > 0
}

// Ending describes, for the middle of a sentence, how the job ended and why, as in
// "exited 127 (command not found)". It is empty while the job has not ended. It contains
// text of the job and of other programs as it came: clean or escape it.
func (j Job) Ending() string { return ending.Of(&j.Request, &j.State) }

// Uptime returns how long the job has run at now, or ran until its end. Where the records and now
// (its monotonic reading) allow it, changes of the wall clock have no effect; time that the machine
// was suspended does not count then. For a job elsewhere or on an unreachable host, the uptime ends
// when the job was last seen running.
func (j Job) Uptime(now time.Time) time.Duration {
	switch finished := j.Status.Finished(); {
	case j.StartedAt.IsZero(), j.Status == Queued, finished && j.Exit.At.IsZero():
		return 0
	case finished && j.Exit.Ran > 0:
		return j.Exit.Ran.Duration()
	case finished:
		return max(0, j.Exit.At.Sub(j.StartedAt))
	case j.staleAt(now):
		return max(0, j.StaleSince.Sub(j.StartedAt))
	case j.StartedUp != 0:
		return max(0, proc.RunningAt(now)-j.StartedUp.Duration())
	}
	return max(0, now.Sub(j.StartedAt))
}

// staleAt reports whether the last known state of the job is older than now.
func (j Job) staleAt(now time.Time) bool {
	switch j.Link {
	case LinkUnreachable, LinkElsewhere:
		return !j.StaleSince.IsZero() && j.StaleSince.Before(now)
	default:
		return false
	}
}

// WaitReason returns why a queued job has not begun, in one line; empty if it does not wait. For a job
// on a cluster it has the expected start and the partition.
func (j Job) WaitReason(now time.Time) string {
	text := j.plainWaitReason(now)
	if text == "" {
		return ""
	}
	if left := j.Pending.StartsAt.Sub(now); left >= time.Minute {
		text += ", expected to start in " + units.FormatMinutes(left)
	}
	if p := j.Scheduled.Partition; p != "" {
		text += ", partition " + p
	}
	return text
}

// plainWaitReason is WaitReason without the partition and the expected start.
func (j *Job) plainWaitReason(now time.Time) string {
	switch {
	case j.Pending == nil:
		return ""
	case j.Status == Queued && j.Runs.Between():
		return j.Runs.Reason(j.Restart, now)
	}
	return j.Pending.Reason
}

// LinkReason returns LinkError without the name of the host.
func (j Job) LinkReason() string { return strings.TrimPrefix(j.LinkError, hostname.Prefix(j.Host)) }

// EndedAgo returns how long before now the job ended. It uses the monotonic clock if the job ended
// since the last boot, else Exit.At.
func (j Job) EndedAgo(now time.Time) time.Duration {
	if up := j.Exit.SinceBoot.Duration(); up > 0 {
		return proc.SinceBoot() - up + time.Until(now)
	}
	return now.Sub(j.Exit.At)
}

// here reports whether the job belongs to this machine, and to this container if there are any.
func (j *Job) here() bool { return j.Host == "" && j.Link != LinkElsewhere }

// FailedUnseen reports whether the job is a failure that still needs attention: unsuccessful, and the
// user has not seen that. The header of the UI, the order and color of lists and `hob prompt` all use
// this rule.
func (j Job) FailedUnseen() bool { return j.Unsuccessful() && !j.Seen }
