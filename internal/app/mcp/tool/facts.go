package tool

import (
	"cmp"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/cells"
)

// The statuses of an answer. A command that exited has completed, whatever its exit code;
// one that a signal or a timeout ended, or that was not started, has failed.
const (
	statusQueued    = "queued" // it has not begun, or waits for its next run
	statusRunning   = "running"
	statusCompleted = "completed"
	statusFailed    = "failed"
)

// facts are the fields of a job that answers and lists share.
type facts struct {
	Status    string    `json:"status,omitempty"`
	SessionID engine.ID `json:"sessionId,omitempty" jsonschema:"The job, for process; absent: no job is left"`
	Name      string    `json:"name,omitempty"`
	Host      string    `json:"host,omitempty"`
	PID       int       `json:"pid,omitempty"`
	// Unreachable is set if status is only the last known one.
	Unreachable string `json:"unreachable,omitempty" jsonschema:"Why it is not known whether status still holds"`
	WaitReason  string `json:"waitReason,omitempty" jsonschema:"Why it is queued"`
	ExitCode    *int   `json:"exitCode,omitempty"`
	ExitSignal  string `json:"exitSignal,omitempty"`
	Reason      string `json:"reason,omitempty"`
	OutputPath  string `json:"outputPath,omitempty"`
	StdoutPath  string `json:"stdoutPath,omitempty"`
	StderrPath  string `json:"stderrPath,omitempty"`
}

func factsOf(j engine.Job) facts {
	f := facts{
		Status:     StatusOf(j),
		SessionID:  j.ID,
		Name:       plain.OneLine(j.Name, 60),
		Host:       cells.VisibleName(j.Host),
		PID:        j.Leader.PID,
		WaitReason: WaitReason(j, time.Now()),
		OutputPath: cells.VisibleName(j.OutputPath),
		StdoutPath: cells.VisibleName(j.StdoutPath),
		StderrPath: cells.VisibleName(j.StderrPath),
	}
	if unreachable(j) {
		f.Unreachable = plain.OneLine(cmp.Or(j.LinkError, "its host does not answer"), 200)
	}
	if exit, ok := j.Ended(); ok {
		f.ExitCode = exit.Code
		f.ExitSignal, f.Reason = plain.OneLine(exit.Signal, 60), plain.OneLine(string(exit.Reason), 60) // a job can write its own record
	}
	return f
}

// unreachable reports whether the status of a job is only the last known one.
func unreachable(j engine.Job) bool {
	if j.Status.Finished() {
		return false
	}
	return j.Link == engine.LinkUnreachable
}

// shownStatus is the status in the text form.
func (f *facts) shownStatus() string {
	if f.Unreachable != "" {
		return string(engine.LinkUnreachable)
	}
	return f.Status
}

// pathsOf names the files with a job's output.
func pathsOf(j engine.Job) string {
	where := j.OutputPath
	if j.Split {
		where = j.StdoutPath + " and " + j.StderrPath
	}
	if j.Host != "" {
		where += " on " + j.Host
	}
	return cells.VisibleName(where)
}

// shortened returns processes with their command lines, which others chose, on one short line.
func shortened(all []engine.Process) []engine.Process {
	all = slices.Clone(all)
	for i := range all {
		all[i].Command = plain.OneLine(all[i].Command, 200)
	}
	return all
}
