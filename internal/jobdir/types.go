package jobdir

import (
	"time"

	"github.com/hobjobs/hob/internal/proc"
)

// Version is the version of the records this program writes. Readers accept
// later ones as far as they understand them and ignore unknown fields.
const Version = 1

// Names of the files in a job directory.
const (
	MetaFile     = "meta.json"
	StateFile    = "state.json"
	OutputFile   = "output.log"
	StdoutFile   = "stdout.log"
	StderrFile   = "stderr.log"
	TimesFile    = "times"
	ExitCodeFile = "exit_code"
	LockFile     = "lock"
	EventsFile   = "events"
	CursorsDir   = "cursors"
)

// Size is a terminal size in cells.
type Size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Meta is meta.json: what was asked. It never changes after the start.
type Meta struct {
	Version       int               `json:"version"`
	Token         string            `json:"token"`
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	Command       []string          `json:"command"`
	Script        string            `json:"script,omitempty"`
	Dir           string            `json:"dir"`
	Host          string            `json:"host,omitempty"`
	Backend       string            `json:"backend"`
	Kind          string            `json:"kind"`
	Split         bool              `json:"split,omitempty"`
	Stdin         string            `json:"stdin"` // "pty", "pipe", "tty", "null", "inherited", "hook"
	Size          Size              `json:"size"`
	TimeoutMS     int64             `json:"timeout_ms,omitempty"`
	GraceMS       int64             `json:"grace_ms"`
	LogLimit      int64             `json:"log_limit,omitempty"`
	EnvNames      []string          `json:"env_names"`
	Labels        map[string]string `json:"labels,omitempty"`
	Backgrounded  bool              `json:"backgrounded,omitempty"` // from the first moment on
	Notify        bool              `json:"notify,omitempty"`
	Machine       string            `json:"machine"` // where it was asked for
	CreatedAt     time.Time         `json:"created_at"`
	CreatedBy     string            `json:"created_by"`
	RestartedFrom string            `json:"restarted_from,omitempty"`
	// Held: the lock of the directory was taken before the directory had its name.
	// So if it is free the job is not about to start.
	Held  bool   `json:"held,omitempty"`
	Exact *Exact `json:"exact,omitempty"` // only in the file
}

// State is state.json: what is known since the start.
type State struct {
	Version   int           `json:"version"`
	Machine   string        `json:"machine"`
	BootID    string        `json:"boot_id"`
	PIDNS     string        `json:"pid_ns,omitempty"`
	Holder    proc.Identity `json:"holder"`
	Job       proc.Identity `json:"job"`
	Session   int           `json:"session,omitempty"`
	Socket    string        `json:"socket,omitempty"`
	Protocol  int           `json:"protocol,omitempty"`
	StartedAt time.Time     `json:"started_at"`
	// StartedUpMS is how long the machine had run when the job started (see
	// proc.RunningAt); 0: not known. Whatever is done to the wall clock, it tells how
	// long the job has run.
	StartedUpMS int64 `json:"started_up_ms,omitempty"`
	// UpBoot names the boot that StartedUpMS belongs to where that is not BootID: of a
	// job on a host, which BootID is about, it counts from the boot here.
	UpBoot       string    `json:"up_boot,omitempty"`
	Backgrounded bool      `json:"backgrounded"`
	Stopping     *Stopping `json:"stopping,omitempty"`
	Paused       bool      `json:"paused,omitempty"`
	Waiting      bool      `json:"waiting,omitempty"`
	// Entry is what is to be seen of what is typed: "open", "hidden" or, if that is
	// not known, "" (see engine.Entry).
	Entry     string    `json:"entry,omitempty"`
	Alternate bool      `json:"alternate,omitempty"` // shows the alternate screen
	Title     string    `json:"title,omitempty"`
	Progress  *Progress `json:"progress,omitempty"`
	Cwd       string    `json:"cwd,omitempty"`
	Size      Size      `json:"size"`
	Deadline  time.Time `json:"deadline,omitzero"`
	// NoTerminal says that the terminal which was asked for, for all of the job or
	// for its input, could not be had: it reads from a pipe, and owns its logs.
	NoTerminal bool `json:"no_terminal,omitempty"`
	// NoLimit says that the file system cannot free bytes inside a file, so the
	// log's cap is off.
	NoLimit bool  `json:"no_limit,omitempty"`
	Dropped int64 `json:"dropped,omitempty"` // bytes lost or freed by the cap
	Hole    Range `json:"hole,omitzero"`     // what the cap has freed of output.log
	// HoleLines is how many line feeds were in the hole, -1 if nobody counted.
	HoleLines int64 `json:"hole_lines,omitempty"`
	End       *End  `json:"end,omitempty"`
	// HostDir is the directory of a job on a host, there, and Output how far its
	// logs reached when they were last looked at.
	HostDir string `json:"host_dir,omitempty"`
	Output  int64  `json:"output,omitempty"`
}

// Rest takes from s what only a job that runs has.
func (s *State) Rest() {
	s.Stopping, s.Waiting, s.Entry, s.Alternate, s.Paused = nil, false, "", false, false
}

// Range is a half-open range of absolute offsets.
type Range struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// Stopping is the stop in progress.
type Stopping struct {
	By       string    `json:"by"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
	Deadline time.Time `json:"deadline"`
}

// Progress is what the job reported with OSC 9;4.
type Progress struct {
	State   string `json:"state"`
	Percent int    `json:"percent"`
}

// End is how the job ended.
type End struct {
	// At is what the wall clock said, but never before the start.
	At time.Time `json:"at"`
	// RanMS is how long the job ran, without the time that the machine slept, and
	// BootMS how long ago the machine had started at the end (see proc.SinceBoot).
	// 0: not known.
	RanMS     int64     `json:"ran_ms,omitempty"`
	BootMS    int64     `json:"boot_ms,omitempty"`
	Status    string    `json:"status"` // exited, killed, failed, lost
	Code      *int      `json:"code"`
	Signal    string    `json:"signal,omitempty"`
	Core      bool      `json:"core,omitempty"`
	Reason    string    `json:"reason"`
	EndedBy   string    `json:"ended_by,omitempty"`
	Error     string    `json:"error,omitempty"`
	UserMS    int64     `json:"user_ms,omitempty"`
	SystemMS  int64     `json:"system_ms,omitempty"`
	MaxRSS    int64     `json:"max_rss,omitempty"`
	Survivors []Process `json:"survivors,omitempty"`
}

// Process is one process in words. PID and Start are its identity; records of earlier
// versions have no Start.
type Process struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
	Start   string `json:"start,omitempty"`
}

// Identity is what tells the process from a later one with its pid.
func (p Process) Identity() proc.Identity { return proc.Identity{PID: p.PID, Start: p.Start} }
