package local

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/internal/turn"
)

// launchVersion is the version of the format below. The two programs may be of different versions
// of hob: a holder that receives another version reports that it does not support it, and starts
// nothing.
const launchVersion = 4

// launchConfig is the configuration that a holder receives on its stdin, as JSON. File descriptors
// are sent with it: the job's lock, which the launcher has held since before the job became
// visible, and the files passed to the job. The job's request is in its meta.json.
type launchConfig struct {
	Launch int `json:"launch"` // launchVersion
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
	// Passed are the job's numbers for the descriptors sent after the lock, in that order. (The key
	// is from an earlier version.)
	Passed []int `json:"lent,omitempty"`
	// Notify is the shell command of [WithNotify].
	Notify string `json:"notify,omitempty"`

	// Waited is how the wait of a queued job ended, in its holder; nil: the job starts at once.
	Waited *waited `json:"-"`
}

// variables is an environment. Its values need not be valid UTF-8, which JSON strings require, so
// it is encoded in base64: each variable is followed by a NUL.
type variables []string

// MarshalText implements [encoding.TextMarshaler].
func (v variables) MarshalText() ([]byte, error) {
	var b []byte
	for _, kv := range v {
		b = append(append(b, kv...), 0)
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
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

// launchReply is the holder's reply, one line: the job is running, or it failed and that is recorded
// (Error is empty in both cases), or nothing was started.
type launchReply struct {
	Error string `json:"error,omitempty"`
	// State is the job's record at that time.
	State *engine.State `json:"state,omitempty"`
	// Unknown: the holder does not support the launch version of the configuration.
	Unknown bool `json:"unknown,omitempty"`
}

// jobEnviron returns a job's environment, made from env: the variables in set are kept, those that
// describe the caller's terminal are removed, and the job's own are added.
func jobEnviron(env, set []string, id, dir string, tty bool) []string {
	out := make([]string, 0, len(env)+4)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "HOB_JOB_ID":
		case slices.Contains(set, name), !termenv.Describes(name) && name != "PWD" && name != "OLDPWD":
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

// waited is how the wait of a queued job ended, in its holder.
type waited struct {
	turn.Result
	alive *jobdir.Alive
	leave func() // gives the job's place in the queue back
}

func newWaited(r turn.Result, entry string, alive *jobdir.Alive) *waited {
	return &waited{Result: r, alive: alive, leave: sync.OnceFunc(func() { _ = os.Remove(entry) })}
}
