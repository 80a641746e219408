package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/ending"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/shellword"
	"github.com/hobjobs/hob/internal/units"
)

// The facts of a job, which package record stores; see there.
type (
	ID           = record.ID
	Kind         = record.Kind
	Input        = record.Input
	Status       = record.Status
	Reason       = record.Reason
	Link         = record.Link
	Entry        = record.Entry
	Request      = record.Request
	State        = record.State
	Exit         = record.Exit
	Usage        = record.Usage
	Process      = record.Process
	Identity     = record.Identity
	StopRequest  = record.StopRequest
	Unrecorded   = record.Unrecorded
	Progress     = record.Progress
	Pending      = record.Pending
	Scheduled    = record.Scheduled
	Runs         = record.Runs
	Size         = record.Size
	Range        = record.Range
	Milliseconds = record.Milliseconds

	Note            = record.Note
	StopOptions     = record.StopOptions
	StopReport      = record.StopReport
	Screen          = record.Screen
	TerminalOptions = record.TerminalOptions
	TerminalFacts   = record.TerminalFacts
	TerminalChunk   = record.TerminalChunk
	Terminal        = record.Terminal
	Stream          = record.Stream
	Output          = record.Output
)

// Constants of package record.
const (
	KindPTY     = record.KindPTY
	KindFile    = record.KindFile
	KindVirtual = record.KindVirtual

	StreamOutput = record.StreamOutput
	StreamStdout = record.StreamStdout
	StreamStderr = record.StreamStderr

	InputPTY       = record.InputPTY
	InputTTY       = record.InputTTY
	InputPipe      = record.InputPipe
	InputHook      = record.InputHook
	InputInherited = record.InputInherited
	InputNull      = record.InputNull

	Queued   = record.Queued
	Starting = record.Starting
	Running  = record.Running
	Stopping = record.Stopping
	Exited   = record.Exited
	Killed   = record.Killed
	Failed   = record.Failed
	Lost     = record.Lost

	LinkNone        = record.LinkNone
	LinkOK          = record.LinkOK
	LinkUnreachable = record.LinkUnreachable
	LinkElsewhere   = record.LinkElsewhere

	EntryUnknown = record.EntryUnknown
	EntryOpen    = record.EntryOpen
	EntryHidden  = record.EntryHidden

	ReasonExit       = record.ReasonExit
	ReasonSignal     = record.ReasonSignal
	ReasonKill       = record.ReasonKill
	ReasonTimeout    = record.ReasonTimeout
	ReasonSpawn      = record.ReasonSpawn
	ReasonHolderDied = record.ReasonHolderDied
	ReasonReboot     = record.ReasonReboot
	ReasonDependency = record.ReasonDependency
	ReasonOOM        = record.ReasonOOM
	ReasonPreempted  = record.ReasonPreempted
	ReasonNodeFailed = record.ReasonNodeFailed
)

// RestartPolicy says after which ends a job's command is started again.
type RestartPolicy = record.RestartPolicy

// ParseRestart returns the policy that [Spec].Restart names.
func ParseRestart(text string) (RestartPolicy, error) { return record.ParseRestart(text) }

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
	StderrPath string

	Ports []int
	CPU   *float64 // percent of one core; nil: not known
	RSS   int64    // bytes; 0: not known

	// Seen reports that the user has seen the end of an unsuccessful job; see [Engine.MarkSeen].
	Seen bool
}

// HasTerminal reports whether the job has a screen, so that it can be displayed, accepts keys, and
// can be attached to with [Handle.Terminal].
func (j Job) HasTerminal() bool {
	return j.Kind == KindPTY || j.Kind == KindVirtual && j.Size != Size{}
}

// HasDerivedName reports whether the job's name is the one that is derived from its command.
func (j Job) HasDerivedName() bool { return j.Name == deriveName(j.Command, j.Script) }

// CommandLine returns the command or script as a user would type it.
func (j Job) CommandLine() string {
	if j.Script != "" {
		return j.Script
	}
	return shellword.Join(j.Command)
}

// LogCap returns how many bytes of the logs are kept, or 0 if there is no limit or the file system
// cannot enforce one.
func (j Job) LogCap() int64 {
	if j.NoLimit {
		return 0
	}
	return max(0, j.LogLimit)
}

// KnownPorts returns the ports that the job listens on. Until the job ends, the port that it was
// given in PORT precedes them.
func (j Job) KnownPorts() []int {
	if j.Port == 0 || j.Status.Finished() || slices.Contains(j.Ports, j.Port) {
		return j.Ports
	}
	return append([]int{j.Port}, j.Ports...)
}

// LeftRunning reports whether the job has ended and has left processes on this machine that still run,
// as far as this machine can tell. It cannot be cleared until [Handle.Stop] has ended them.
func (j Job) LeftRunning() bool {
	here := j.Host == "" && j.Link != LinkElsewhere
	return here && j.Status.Finished() && len(j.Exit.Survivors) > 0
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
	case (j.Link == LinkUnreachable || j.Link == LinkElsewhere) && !j.StaleSince.IsZero() && j.StaleSince.Before(now):
		return max(0, j.StaleSince.Sub(j.StartedAt))
	case j.StartedUp != 0:
		return max(0, proc.RunningAt(now)-j.StartedUp.Duration())
	}
	return max(0, now.Sub(j.StartedAt))
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

// OnCluster reports whether host is the login node of a cluster, whose scheduler starts the jobs.
func OnCluster(host string) bool { return strings.HasPrefix(host, "slurm:") }

// HostPrefix returns what precedes the reason in an error about a host: its name and a colon. The name
// "slurm:", Slurm on this machine, ends with that colon.
func HostPrefix(host string) string { return strings.TrimSuffix(host, ":") + ": " }

// LinkReason returns LinkError without the name of the host.
func (j Job) LinkReason() string { return strings.TrimPrefix(j.LinkError, HostPrefix(j.Host)) }

// LastRun returns the job as if it had ended with the last run that was followed by another one, or
// that is; ok is false if there is none.
func (j Job) LastRun() (last Job, ok bool) {
	if j.Runs == nil || j.Runs.Last == nil {
		return j, false
	}
	j.Exit = *j.Runs.Last
	j.Status = j.Exit.Status
	return j, true
}

// EndedAgo returns how long before now the job ended. It uses the monotonic clock if the job ended
// since the last boot, else Exit.At.
func (j Job) EndedAgo(now time.Time) time.Duration {
	if up := j.Exit.SinceBoot.Duration(); up > 0 {
		return proc.SinceBoot() - up + time.Until(now)
	}
	return now.Sub(j.Exit.At)
}

// FailedUnseen reports whether the job is a failure that still needs attention: unsuccessful, and the
// user has not seen that. The header of the UI, the order and color of lists and `hob prompt` all use
// this rule.
func (j Job) FailedUnseen() bool { return j.Unsuccessful() && !j.Seen }
