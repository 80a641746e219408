package engine

import (
	"time"

	"github.com/hobjobs/hob/engine/record"
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

// InMilliseconds returns d as records store it.
func InMilliseconds(d time.Duration) Milliseconds { return record.InMilliseconds(d) }
