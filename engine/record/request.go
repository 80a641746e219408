// Package record has the facts of a job, as the files of its directory store them:
// [Request] is meta.json, [State] is state.json, and [Exit] is the end in it.
//
// The types are plain values that are written and read by their struct tags. Package
// engine has them under its own names, in engine.Job and in what a backend reports;
// package internal/jobdir reads and writes the files. A field whose tag is "-" is not
// stored: it is derived from the records, or found out by whatever looks at the job.
//
// Beside them it has what clients ask of a job's holder and are answered: [StopOptions],
// [Screen], [TerminalChunk], and the conditions on which a request is refused.
//
// This package imports nothing of ours, so that every other package can use it.
package record

import "time"

// ID names a job: a slug of its command and five random characters, unique in
// its state root, such as "npm-run-dev-7k2qm".
type ID string

// Kind says what carries a job's output and input.
type Kind string

// The kinds.
const (
	KindPTY     Kind = "pty"     // a pseudo-terminal
	KindFile    Kind = "file"    // the job owns its log files
	KindVirtual Kind = "virtual" // a program feeds it
)

// Input says what a job reads as its standard input.
type Input string

// The inputs.
const (
	InputPTY       Input = "pty"       // the terminal that also has its output
	InputTTY       Input = "tty"       // a terminal for the input alone
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

// Request is what was asked of a job: meta.json. It never changes after the start.
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
	Split   bool     `json:"split,omitempty"` // stdout and stderr have a log each
	Stdin   Input    `json:"stdin"`
	// InitialSize is that of the terminal when the job started; see State.Size.
	InitialSize Size         `json:"size"`
	Timeout     Milliseconds `json:"timeout_ms,omitempty"` // 0: none
	Grace       Milliseconds `json:"grace_ms"`
	// LogLimit is how many bytes of the logs are kept, 0: all. It is not enforced where
	// State.NoLimit is set.
	LogLimit int64             `json:"log_limit,omitempty"`
	EnvNames []string          `json:"env_names"` // of the variables that were added
	Labels   map[string]string `json:"labels,omitempty"`
	// StartInBackground says that nothing ever waited for the job.
	StartInBackground bool `json:"backgrounded,omitempty"`
	Notify            bool `json:"notify,omitempty"`
	// ClientMachine is where the request was made; see State.Machine.
	ClientMachine string    `json:"machine"`
	CreatedAt     time.Time `json:"created_at"`
	CreatedBy     string    `json:"created_by"`
	RestartedFrom ID        `json:"restarted_from,omitempty"`
}
