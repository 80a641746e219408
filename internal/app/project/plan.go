// Package project reads the files in which projects describe their processes, and starts and stops
// these processes as jobs of one group.
//
// [Load] returns the plan of a file, with a note for everything in it that hob does not understand.
// [Plan.Select] puts the processes to start in order, and an [Up] starts them. Nothing here reads a
// file that the caller did not ask for, except the .env file beside it, where the programs that own
// the format read it too.
package project

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/httpget"
)

// Plan is what a file describes.
type Plan struct {
	File      string    `json:"file"`
	Merged    []string  `json:"merged"`   // further files that were merged into it
	EnvRule   string    `json:"env_rule"` // whether variables in values of .env are replaced; empty if it makes no difference
	Dir       string    `json:"dir"`      // of the project; absolute
	Processes []Process `json:"processes"`
	Notes     []Note    `json:"notes"`
}

// Note names something in a file that hob ignores.
type Note struct {
	File string `json:"file"`
	Line int    `json:"line"` // 0 if it is not about one line
	Text string `json:"text"`
}

func (n Note) String() string { return (&Error{n.File, n.Line, n.Text}).Error() }

// Error is a mistake in a file. Line is 0 if it is not about one line.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Text
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// Process is one process of a plan. With neither Script nor Command it is a name for its needs.
type Process struct {
	Name string
	File string // that describes it, as shown
	Line int    // where in it

	Script  string
	Shell   []string // runs Script, which is its last argument; nil: sh -c
	Command []string // if there is no Script

	// Successes are the exit codes that count as 0.
	Successes []int

	// IsDaemon: the command starts a server in the background and ends. The job lasts until it is stopped.
	IsDaemon bool

	Dir     string            // absolute
	Env     map[string]string // added to the environment
	EnvFrom map[string]string // the files of the variables; those without one are in the file itself
	// AddedPath is the part of the variable PATH that the file adds to the inherited value.
	AddedPath string
	Unset     []string // removed from the environment
	FreePort  bool     // PORT is set to a free port
	// FirstPort is the value of PORT for the first copy; 0: it is not set, or is a free port.
	FirstPort int
	PS        string // value of the variable PS; empty: it is not set

	Base string // of which process this is a copy; empty: it is none
	Copy int    // its number, from 1
	// IsReplica: the process gets the variables by which process-compose tells replicas apart.
	IsReplica bool

	Needs     []Need
	Ready     Ready
	Restart   string        // as hob run --restart takes it; empty: no
	Backoff   time.Duration // before each restart; 0: it grows
	NoRestart bool          // the file says that it is not started again
	Health    Probe         // while it runs; none: it is not checked
	Shutdown  Shutdown
	EndsAll   EndsAll
	Asks      []Input // that it uses and that have no value, with [Source].KeepAsking
	OnRequest bool    // not started unless it is named or needed
}

// Runs reports whether the process has a command. Without one it only stands for what it needs.
func (p *Process) Runs() bool { return p.Script != "" || len(p.Command) > 0 }

// lasts is a script that runs its arguments and, if they succeed, lasts until it is ended.
const lasts = `"$@" || exit; exec sleep 2147483647`

// endsLasting ends such a script in a stop command, after which the job need not wait for it.
const endsLasting = `; kill "$HOB_JOB_PID"`

// succeeds is a script that runs its arguments and ends with exit code 0 if theirs is one of those in the place of %s.
// A signal is left to the program, whose end it then waits for.
const succeeds = `trap : HUP INT QUIT TERM USR1 USR2; "$@"; code=$?; case $code in %s) code=0 ;; esac; exit $code`

// argv returns the command as an argument vector, nil for a script of sh.
func (p *Process) argv() []string {
	command := p.command()
	if len(p.Successes) > 0 && command == nil {
		command = []string{"sh", "-c", p.Script}
	}
	if len(p.Successes) > 0 {
		var codes []string
		for _, code := range p.Successes {
			codes = append(codes, strconv.Itoa(code))
		}
		command = append([]string{"sh", "-c", fmt.Sprintf(succeeds, strings.Join(codes, "|")), "sh"}, command...)
	}
	if p.IsDaemon {
		return append([]string{"sh", "-c", lasts, "sh"}, command...)
	}
	return command
}

func (p *Process) command() []string {
	if p.Script == "" {
		return p.Command
	}
	if p.Shell == nil {
		return nil
	}
	return append(p.Shell[:len(p.Shell):len(p.Shell)], p.Script)
}

// EndsAll is after which ends of a process the others are stopped too, if someone waits for all.
type EndsAll struct {
	OnFailure bool
	OnEnd     bool
	OnSkipped bool // it was not started because of what it depends on
}

// At reports whether the others are stopped after this end.
func (e EndsAll) At(end engine.Exit) bool {
	switch {
	case end.Reason == engine.ReasonDependency:
		return e.OnSkipped
	case end.Succeeded():
		return e.OnEnd
	}
	return e.OnEnd || e.OnFailure
}

// String describes these ends; "" if there are none.
func (e EndsAll) String() string {
	var texts []string
	if e.OnEnd {
		texts = append(texts, "after its end")
	} else if e.OnFailure {
		texts = append(texts, "after a failure")
	}
	if e.OnSkipped {
		texts = append(texts, "if it is not started")
	}
	return strings.Join(texts, " or ")
}

// Shutdown is how a process is asked to end. The zero value is SIGTERM and the default grace time.
type Shutdown struct {
	Signal  string        // as hob run --stop-signal takes it
	Command string        // run before the signal, by sh
	Grace   time.Duration // until SIGKILL
}

// String describes how the process is asked to end; "" for SIGTERM.
func (s Shutdown) String() string {
	if s.Command != "" && s.Signal != "" {
		return s.Command + ", then " + s.Signal
	}
	return s.Command + s.Signal
}

// Ready is how to find out that a process is ready.
type Ready struct {
	Line  string // the process prints a line that matches this regular expression
	Probe Probe  // attempts succeed

	// Limit is how long a process may take to become ready; 0: the default.
	Limit time.Duration
}

// shown reports whether anything shows that the process is ready.
func (r Ready) shown() bool { return r.Line != "" || r.Probe.exists() }

// Probe finds out by repeated attempts whether a process works: by a command that succeeds, or by an answer
// of a server. A command is run by the shell of the process and with its variables.
type Probe struct {
	Script string
	Dir    string // of the command
	Get    *httpget.Target
	Code   int // that the server answers with; 0: 2xx or 3xx

	Delay     time.Duration // before the first attempt
	Every     time.Duration // between the end of an attempt and the next one
	Timeout   time.Duration // of each attempt
	Successes int           // attempts in a row that must succeed; 0: one
	Failures  int           // attempts in a row that must fail; 0: the default
}

func (p Probe) exists() bool { return p.Script != "" || p.Get != nil }

// port returns the port of this machine whose server answers the probe; 0 if there is none.
func (p Probe) port() int {
	if p.Get == nil || !p.Get.Local() {
		return 0
	}
	return p.Get.Port
}

// String describes what the probe asks.
func (p Probe) String() string {
	if p.Get != nil {
		return "answers at " + p.Get.String()
	}
	return "passes its readiness probe"
}

// Until is what a process waits for before it starts.
type Until int

const (
	Started   Until = iota
	IsReady         // its condition Ready holds
	Completed       // it has ended
	Succeeded       // it has ended with exit code 0
)

// Need is another process that a process waits for.
type Need struct {
	Name  string
	Until Until
	Line  int
	// IfChosen: the other process is not started because of this need.
	IfChosen bool
}
