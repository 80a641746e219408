package jobdir

import "github.com/hobjobs/hob/engine/record"

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

// Meta is meta.json: the request, and what its file needs beside it.
type Meta struct {
	Version int `json:"version"`
	record.Request
	// Held: the lock of the directory was taken before the directory had its name.
	// So if it is free the job is not about to start.
	Held  bool   `json:"held,omitempty"`
	Exact *Exact `json:"exact,omitempty"` // only in the file
}
