package record

import "time"

// Status says where a job is. How it ended is [Exit], whether it can be reached
// is [Link]; the three are separate facts.
type Status string

// The statuses.
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

// Link says whether the machine that runs a job can be asked about it.
type Link string

// The links.
const (
	LinkNone        Link = "none" // local: there is nothing between
	LinkOK          Link = "ok"
	LinkUnreachable Link = "unreachable" // the last known status stands, marked stale
	LinkElsewhere   Link = "elsewhere"   // recorded on another machine or in another container
)

// Entry says whether what is typed into a job's terminal can be seen there.
type Entry string

// The kinds of entry.
const (
	// EntryUnknown: there is no terminal that can be asked, or a program reads keys and
	// shows of them what it likes, as ssh does what another terminal likes.
	EntryUnknown Entry = ""
	EntryOpen    Entry = "open" // the terminal reads lines and echoes them
	// EntryHidden: the terminal reads lines and echoes nothing, as programs set it that
	// ask for a password.
	EntryHidden Entry = "hidden"
)

// Identity is one process of one boot of a machine. Start is opaque: clock ticks since
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
	Deadline time.Time `json:"deadline"` // SIGKILL follows then
}

// Progress is what a job reported of its progress with OSC 9;4.
type Progress struct {
	State   string `json:"state"` // "normal", "error", "indeterminate", "paused"
	Percent int    `json:"percent"`
}

// Range is a half-open range of absolute offsets.
type Range struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// State is what is known of a job since its start: state.json. Its holder is the one
// writer; of a job on a host, whichever client looked at it last.
type State struct {
	Version int `json:"version"` // of the file's format
	// Status follows from what stands below, or from a look at the job.
	Status Status `json:"-"`
	// Machine, BootID and PIDNS are where the processes are whose numbers stand here.
	Machine string   `json:"machine"`
	BootID  string   `json:"boot_id"`
	PIDNS   string   `json:"pid_ns,omitempty"`
	Holder  Identity `json:"holder"`
	// Leader is the job's own process; zero: not known, or the job is virtual.
	Leader    Identity  `json:"job"`
	Session   int       `json:"session,omitempty"`
	Socket    string    `json:"socket,omitempty"`   // where the holder listens
	Protocol  int       `json:"protocol,omitempty"` // that the holder speaks
	StartedAt time.Time `json:"started_at"`         // zero: not started yet
	// StartedUp is how long the machine had run when the job started, without the time
	// that it slept. 0: not known. Whatever is done to the wall clock, it says how
	// long the job has run.
	StartedUp Milliseconds `json:"started_up_ms,omitempty"`
	// UpBoot names the boot that StartedUp belongs to where that is not BootID: of a
	// job on a host, which BootID is about, it counts from the boot here.
	UpBoot       string       `json:"up_boot,omitempty"`
	Backgrounded bool         `json:"backgrounded"`
	Stopping     *StopRequest `json:"stopping,omitempty"` // nil: none
	Paused       bool         `json:"paused,omitempty"`
	Waiting      bool         `json:"waiting,omitempty"` // blocked reading its terminal
	// Entry: where it is unknown, only the question shows whether the answer is a secret.
	Entry Entry `json:"entry,omitempty"`
	// Alternate says that a program draws on the whole screen (an editor, a pager):
	// what it writes is no log to read.
	Alternate bool      `json:"alternate,omitempty"`
	Title     string    `json:"title,omitempty"`
	Progress  *Progress `json:"progress,omitempty"`
	Cwd       string    `json:"cwd,omitempty"` // as the job reported it with OSC 7
	Size      Size      `json:"size"`
	Deadline  time.Time `json:"deadline,omitzero"` // of the timeout; zero without one
	// NoTerminal says that the terminal which was asked for, for all of the job or
	// for its input, could not be had: it reads from a pipe, and owns its logs.
	NoTerminal bool `json:"no_terminal,omitempty"`
	// NoLimit says that the file system cannot free bytes inside a file, so that
	// Request.LogLimit is not enforced.
	NoLimit bool  `json:"no_limit,omitempty"`
	Dropped int64 `json:"dropped,omitempty"` // bytes lost or freed by the limit
	Hole    Range `json:"hole,omitzero"`     // what the limit has freed of output.log
	// HoleLines is how many line feeds were in the hole, -1 if that is not known.
	HoleLines int64 `json:"hole_lines,omitempty"`
	// Exit is zero while the job has not ended.
	Exit Exit `json:"end,omitzero"`
	// HostDir is the directory of a job on a host, there.
	HostDir string `json:"host_dir,omitempty"`
	// Output is how many bytes were ever written, all streams together. Of a job on this
	// machine the files say it.
	Output int64 `json:"output,omitempty"`

	Bells      int       `json:"-"` // rung so far
	Link       Link      `json:"-"`
	LinkError  string    `json:"-"` // why the job cannot be reached
	StaleSince time.Time `json:"-"` // zero: the facts are current
	// Unrecorded is how the job ended where that is known and cannot be recorded: for
	// every other program it has not ended. Else nil.
	Unrecorded *Unrecorded `json:"-"`
}

// Rest clears what only a running job has.
func (s *State) Rest() {
	s.Stopping, s.Waiting, s.Entry, s.Alternate, s.Paused, s.Progress = nil, false, EntryUnknown, false, false, nil
}

// StopDeadline is when SIGKILL follows; zero unless the job is being stopped.
func (s *State) StopDeadline() time.Time {
	if s.Stopping == nil {
		return time.Time{}
	}
	return s.Stopping.Deadline
}
