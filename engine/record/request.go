// Package record defines the facts of a job as the files in its directory store them: [Request] is
// meta.json, [State] is state.json, and [Exit] is the end in it.
//
// The types are plain values, encoded by their struct tags. Package engine exports them under its
// own names; package internal/jobdir reads and writes the files. A field with the tag "-" is not
// stored: it is derived from the records or from an observation of the job.
//
// The package also defines the requests and responses between clients and a job's holder,
// [StopOptions], [Screen] and [TerminalChunk], and the errors with which a request is refused.
//
// It imports no other package of this module, so that all of them can use it.
package record

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ID names a job: a slug of its command and five random characters, unique in
// its state directory, such as "npm-run-dev-7k2qm".
type ID string

// Kind is the transport of a job's output and input.
type Kind string

// The kinds.
const (
	KindPTY     Kind = "pty"     // a pseudo-terminal
	KindFile    Kind = "file"    // the job owns its log files
	KindVirtual Kind = "virtual" // a program writes the output
)

// Input is what a job reads as its stdin.
type Input string

// The inputs.
const (
	InputPTY       Input = "pty"       // the terminal that also receives its output
	InputTTY       Input = "tty"       // a terminal for input only
	InputPipe      Input = "pipe"      // what clients write
	InputHook      Input = "hook"      // a function of the program that performs it
	InputInherited Input = "inherited" // a descriptor of the program that started it
	InputNull      Input = "null"      // nothing
)

// Writable reports whether clients can write to it.
func (i Input) Writable() bool {
	switch i {
	case InputPTY, InputTTY, InputPipe, InputHook:
		return true
	case InputInherited, InputNull:
	}
	return false
}

// Size is a terminal's size in cells. The zero value means unknown.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Milliseconds is a duration as records store it.
type Milliseconds int64

// InMilliseconds returns d, rounded.
func InMilliseconds(d time.Duration) Milliseconds {
	return Milliseconds(d.Round(time.Millisecond).Milliseconds())
}

// Duration returns m as a [time.Duration].
func (m Milliseconds) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

// Request is the request to run a job: meta.json. It never changes after the start.
type Request struct {
	Token   string   `json:"token"` // idempotency key
	ID      ID       `json:"id"`
	Name    string   `json:"name"`
	Command []string `json:"command"` // nil for a script
	Script  string   `json:"script,omitempty"`
	Dir     string   `json:"dir"`            // the working directory, on Host
	Host    string   `json:"host,omitempty"` // empty: this machine
	Backend string   `json:"backend"`
	Kind    Kind     `json:"kind"`
	Split   bool     `json:"split,omitempty"` // stdout and stderr have separate logs
	Stdin   Input    `json:"stdin"`
	// InitialSize is the terminal's size when the job started; see State.Size.
	InitialSize Size         `json:"size"`
	Timeout     Milliseconds `json:"timeout_ms,omitempty"` // 0: none
	Grace       Milliseconds `json:"grace_ms"`
	// StopSignal is the signal that asks the job to end, "SIGINT"; empty: SIGTERM.
	StopSignal string `json:"stop_signal,omitempty"`
	// StopCommand is run by sh -c, in the job's directory and environment, before StopSignal is sent.
	StopCommand string      `json:"stop_command,omitempty"`
	HealthCheck HealthCheck `json:"health_check,omitzero"`
	// LogLimit is how many bytes of the logs are kept, 0: all. It is not enforced if State.NoLimit
	// is set.
	LogLimit int64    `json:"log_limit,omitempty"`
	EnvNames []string `json:"env_names"` // of the added variables
	// EnvDigests are keyed digests of values of these variables, in a form that only the client that made
	// the request understands: it can find out which variables have changed.
	EnvDigests map[string]string `json:"env_digests,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	// StartInBackground means that the job was started in the background.
	StartInBackground bool `json:"backgrounded,omitempty"`
	Notify            bool `json:"notify,omitempty"`
	// Revive means that the job is to be started again without a question after a reboot.
	Revive bool `json:"revive,omitempty"`
	// ClientMachine is the machine of the client that made the request; see State.Machine.
	ClientMachine string    `json:"machine"`
	CreatedAt     time.Time `json:"created_at"`
	CreatedBy     string    `json:"created_by"`
	RestartedFrom ID        `json:"restarted_from,omitempty"`
	// Queue is the queue whose slot the job needs to start, empty: none. After are the jobs that must
	// have exited with 0 first, AfterAny those that must have ended in any way.
	Queue    string `json:"queue,omitempty"`
	After    []ID   `json:"after,omitempty"`
	AfterAny []ID   `json:"after_any,omitempty"`
	// Restart is when the job is started again after its end: "always", "on-failure", or with a limit
	// "always:N", "on-failure:N" (N times at most); empty: never.
	Restart string `json:"restart,omitempty"`
	// RestartPause is the pause before each restart; 0: it grows.
	RestartPause Milliseconds `json:"restart_pause_ms,omitempty"`
	// Scheduler is the cluster's scheduler that starts the job, "slurm"; empty: none. On the client it is
	// part of Host instead. SchedulerArgs are options for it.
	Scheduler     string   `json:"scheduler,omitempty"`
	SchedulerArgs []string `json:"scheduler_args,omitempty"`
	// Port is the TCP port that the job was given in PORT, or 0.
	Port int `json:"port,omitempty"`
}

// Waits reports whether the job was not to start at once.
func (r *Request) Waits() bool { return r.Queue != "" || len(r.After)+len(r.AfterAny) > 0 }

// RestartPolicy is after which ends a job's command is started again. The zero value is never.
type RestartPolicy struct {
	Always    bool
	OnFailure bool // after every end but exit code 0
	Max       int  // how often, at most; 0: without limit
}

// ParseRestart returns the policy that Request.Restart names: "always", "always:N", "on-failure",
// "on-failure:N" or "".
func ParseRestart(text string) (RestartPolicy, error) {
	if text == "" {
		return RestartPolicy{}, nil
	}
	when, number, limited := strings.Cut(text, ":")
	p := RestartPolicy{Always: when == "always", OnFailure: when == "on-failure"}
	ok := p.Always != p.OnFailure
	if limited && ok {
		var err error
		p.Max, err = strconv.Atoi(number)
		ok = err == nil && p.Max > 0 && strconv.Itoa(p.Max) == number
	}
	if !ok {
		return RestartPolicy{}, fmt.Errorf("%w: the restart policy %q", ErrInvalid, text)
	}
	return p, nil
}

// Restarts reports whether a command that has been started again count times is started once more
// after this end of a run.
func (p RestartPolicy) Restarts(end Exit, count int) bool {
	if p.Max > 0 && count >= p.Max {
		return false
	}
	return p.Always || p.OnFailure && !end.Succeeded()
}

// Succeeded reports whether the command exited with 0.
func (e Exit) Succeeded() bool { return e.Status == Exited && e.Code != nil && *e.Code == 0 }

// Between reports whether a run has ended and the next one has not begun.
func (r *Runs) Between() bool { return r != nil && !r.NextAt.IsZero() }

// StableAfter is how long a run must last to end a row of failures.
const StableAfter = Milliseconds(60_000)

// Failing reports whether the current run follows a failed one and has not yet lasted long enough to end the
// row of failures, see [StableAfter].
func (r *Runs) Failing() bool { return r != nil && r.NextAt.IsZero() && r.Failures > 0 }

// FailuresAfter returns how many runs have failed in a row if the current one ends with end.
func (r *Runs) FailuresAfter(end Exit) int {
	switch {
	case end.Succeeded():
		return 0
	case end.Ran >= StableAfter:
		return 1
	}
	return r.Failures + 1
}

// Number returns the number of the current run, or of the last one; the first is 1.
func (r *Runs) Number() int {
	if r == nil {
		return 1
	}
	return r.Count + 1
}

// Reason returns why a job with the given policy waits between two runs, as Pending.Reason.
func (r *Runs) Reason(policy string, now time.Time) string {
	wait := max(0, r.NextAt.Sub(now)).Round(time.Second)
	text := fmt.Sprintf("restarting in %ds", int(wait.Seconds()))
	if p, err := ParseRestart(policy); err == nil && p.Max > 0 {
		text += fmt.Sprintf(" (%d of %d)", r.Count+1, p.Max)
	}
	return text
}

// runLine is the beginning of the line of hob's own that separates the runs in a log.
const runLine = "── run "

// RunLine returns the line that comes before the output of a run, counted from 1, that begins at the
// given time. why is why the run before was ended, one line; empty: it has ended by itself.
func RunLine(number int, at time.Time, why string) string {
	if why != "" {
		why = " · " + why
	}
	return fmt.Sprintf(runLine+"%d · %s%s ──", number, at.Format("15:04:05"), why)
}

// IsRunLine reports whether a line of a log is as RunLine returns it.
func IsRunLine(line string) bool {
	return strings.HasPrefix(line, runLine) && strings.HasSuffix(line, " ──")
}

// Streams returns the streams of the job's output.
func (r Request) Streams() []Stream {
	if r.Split {
		return []Stream{StreamStdout, StreamStderr}
	}
	return []Stream{StreamOutput}
}
