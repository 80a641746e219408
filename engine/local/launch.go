package local

import (
	"encoding/base64"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termenv"
)

// launchVersion is that of what follows. The two programs may be of different
// versions of hob: a holder that is told another number answers that it does not
// know it, and starts nothing.
const launchVersion = 3

// launchConfig is what a holder is told on its standard input, as JSON. With it
// come descriptors: of the job's lock, which the launcher holds since before the
// job could be seen, and those that are lent to the job. What was asked of the job
// stands in its meta.json.
type launchConfig struct {
	Launch int `json:"launch"` // launchVersion
	// Build is that of who tells, for another program; empty: it does not matter.
	// What a job gets must not depend on which of two files was replaced.
	Build string `json:"build,omitempty"`
	Dir   string `json:"dir"` // the job directory
	// Env is the job's environment but for what jobEnviron does to it.
	Env variables `json:"env"`
	// Set names variables of Env that were asked for explicitly, so that the
	// rules for terminals do not touch them.
	Set        []string `json:"set,omitempty"`
	RuntimeDir string   `json:"runtime_dir,omitempty"`
	// Lent are the numbers that the descriptors behind the lock have in the job, in
	// their order.
	Lent []int `json:"lent,omitempty"`
	// Notify is a shell command to run when the job has ended and nobody is told.
	Notify string `json:"notify,omitempty"`
}

// variables are an environment. Its values need not be UTF-8, which the strings of
// JSON cannot hold, so it travels in base64: each variable with a NUL behind it.
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

// launchReply is the holder's one line of answer: the job runs, or failed to and
// that is recorded (Error is empty in both), or nothing was started.
type launchReply struct {
	Error string `json:"error,omitempty"`
	// State is the job's record as it was then.
	State *engine.State `json:"state,omitempty"`
	// Unknown: the holder does not know the launch version of the configuration.
	Unknown bool `json:"unknown,omitempty"`
}

// jobEnviron makes a job's environment of the one inherited: the variables in set
// stay as they are, those that describe the caller's terminal go, the job's own
// come.
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
