// Package localjob is the holder of a job on this machine: it starts the command, owns its terminal
// and log, and records its end. The holder is a process of its own ([Hold]) or part of a program
// ([InProcess]). The package links what a holder needs, and not the engine, because there is one holder
// for each job.
package localjob

import (
	"encoding/base64"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/queue"
	"github.com/hobjobs/hob/internal/termenv"
)

// Version is the version of the format below. The two programs may be of different versions
// of hob: a holder that receives another version reports that it does not support it, and starts
// nothing.
const Version = 5

// ErrVersion means that a holder is of another version, or another build of the same version, and has
// started nothing.
var ErrVersion = errors.New("hob-holder is of another version than this program; reinstall both")

// DefaultGrace is the grace period of a job whose request has none.
const DefaultGrace = 5 * time.Second

// Config is the configuration that a holder receives on its stdin, as JSON. File descriptors
// are sent with it: the job's lock, which the launcher has held since before the job became
// visible, the pipe of a queued job, and the files passed to the job. The job's request is in its
// meta.json.
type Config struct {
	Launch int `json:"launch"` // Version
	// Build is the build of the launcher, if the holder is another program; empty: any build is
	// accepted. A job's behavior must not depend on which of two files was replaced.
	Build string `json:"build,omitempty"`
	Dir   string `json:"dir"` // the job directory
	// Env is the job's environment before jobEnviron.
	Env variables `json:"env"`
	// Set lists variables of Env that were set explicitly, so that the rules for terminals do not
	// apply to them.
	Set        []string `json:"set,omitempty"`
	RuntimeDir string   `json:"runtime_dir,omitempty"`
	// Queue is where the job waits before it starts; nil: nowhere.
	Queue *queue.Place `json:"queue,omitempty"`
	// Passed are the job's numbers for the descriptors sent last, in that order. (The key
	// is from an earlier version.)
	Passed []int `json:"lent,omitempty"`
	// Notify is a shell command that the holder runs at Events of a job that no client shows.
	Notify string `json:"notify,omitempty"`
	// Events are the events that run Notify; empty: the default ones of package notifyevent.
	Events []string `json:"notify_events,omitempty"`
}

// variables is an environment. Its values need not be valid UTF-8, which JSON strings require, so
// it is encoded in base64: each variable is followed by a NUL.
type variables []string

func (v variables) MarshalText() ([]byte, error) {
	var b []byte
	for _, kv := range v {
		b = append(append(b, kv...), 0)
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

func (v *variables) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	*v = nil
	for kv := range strings.SplitSeq(string(b), "\x00") {
		if kv != "" {
			*v = append(*v, kv)
		}
	}
	return err
}

// Reply is the holder's reply, one line: the job is running, or it failed and that is recorded
// (Error is empty in both cases), or nothing was started.
type Reply struct {
	Error string `json:"error,omitempty"`
	// State is the job's record at that time.
	State *record.State `json:"state,omitempty"`
	// Unknown: the holder does not support the launch version of the configuration.
	Unknown bool `json:"unknown,omitempty"`
}

// describesCaller reports whether a variable describes the caller's terminal or working directory.
func describesCaller(name string) bool {
	switch name {
	case "PWD", "OLDPWD":
		return true
	}
	return termenv.Describes(name)
}

// jobEnviron returns a job's environment, made from env: the variables in set are kept, those that
// describe the caller's terminal are removed, and the job's own are added.
func jobEnviron(env, set []string, id, dir string, tty bool) []string {
	out := make([]string, 0, len(env)+4)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if name == "HOB_JOB_ID" {
			continue
		}
		if slices.Contains(set, name) || !describesCaller(name) {
			out = append(out, kv)
		}
	}
	add := func(name, value string) {
		if !slices.Contains(set, name) {
			out = append(out, name+"="+value)
		}
	}
	if tty {
		add("TERM", "xterm-256color")
		add("COLORTERM", "truecolor")
	} else {
		add("TERM", "dumb")
	}
	add("PWD", filepath.Clean(dir))
	return append(out, "HOB_JOB_ID="+id)
}
