package jobdir

import "github.com/hobjobs/hob/engine/record"

// Version is the version of the records that this program writes. Readers accept later
// versions and ignore unknown fields.
const Version = 1

// Names of the files in a job directory.
const (
	MetaFile       = "meta.json"
	StateFile      = "state.json"
	OutputFile     = "output.log"
	StdoutFile     = "stdout.log"
	StderrFile     = "stderr.log"
	TimesFile      = "times"
	ExitCodeFile   = "exit_code"
	LockFile       = "lock"
	EventsFile     = "events"
	CursorsDir     = "cursors"
	AliveFile      = "alive"      // a pipe, see Alive
	BackgroundFile = "background" // a queued job is in the background
)

// Meta is the content of meta.json: the request and some additional fields.
type Meta struct {
	Version int `json:"version"`
	record.Request
	// Held means that the lock was acquired before the directory became visible. So if
	// the lock is free, no program is about to start the job.
	Held bool        `json:"held,omitempty"`
	Raw  *RawRequest `json:"exact,omitempty"` // only in the file
}
