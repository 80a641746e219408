package local

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/hobjobs/hob/internal/flatjson"
	"github.com/hobjobs/hob/internal/jobdir"
)

// What the launcher and the holder say to each other is written and read without
// reflection where it is what they always say (see package flatjson).

// variables are an environment. Its values need not be UTF-8, which the strings of
// JSON cannot hold, so it travels as bytes, which JSON has in base64: each variable
// with a NUL behind it.
type variables []string

func (v variables) text() string {
	var b []byte
	for _, kv := range v {
		b = append(append(b, kv...), 0)
	}
	return base64.StdEncoding.EncodeToString(b)
}

func variablesOf(b []byte) (v variables) {
	for kv := range strings.SplitSeq(string(b), "\x00") {
		if kv != "" {
			v = append(v, kv)
		}
	}
	return v
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *variables) UnmarshalJSON(p []byte) error {
	var b []byte
	if err := json.Unmarshal(p, &b); err != nil {
		return err
	}
	*v = variablesOf(b)
	return nil
}

// text is c as JSON.
func (c *launchConfig) text() ([]byte, error) {
	var w flatjson.Writer
	w.Open()
	w.Int("launch", int64(c.Launch))
	w.OptStr("build", c.Build)
	w.Str("dir", c.Dir)
	w.Str("env", c.Env.text())
	if len(c.Set) > 0 {
		w.Strs("set", c.Set)
	}
	w.OptStr("runtime_dir", c.RuntimeDir)
	w.OptInts("lent", c.Lent)
	w.OptStr("notify", c.Notify)
	w.Close()
	return w.Buf, w.Err
}

// parseLaunch reads the JSON of a launchConfig.
func parseLaunch(data []byte) (launchConfig, error) {
	var c launchConfig
	r := flatjson.NewReader(data)
	r.Object(func(key string) {
		switch key {
		case "launch":
			c.Launch = int(r.Int())
		case "build":
			c.Build = r.Str()
		case "dir":
			c.Dir = r.Str()
		case "env":
			b, err := base64.StdEncoding.DecodeString(r.Str())
			if err != nil {
				r.Unknown()
			}
			c.Env = variablesOf(b)
		case "set":
			c.Set = r.Strs()
		case "runtime_dir":
			c.RuntimeDir = r.Str()
		case "lent":
			c.Lent = r.Ints()
		case "notify":
			c.Notify = r.Str()
		default:
			r.Unknown()
		}
	})
	if r.Done() {
		return c, nil
	}
	c = launchConfig{}
	return c, json.Unmarshal(data, &c)
}

// launchReply is the holder's one line of answer: the job runs, or failed to and
// that is recorded (Error is empty in both), or nothing was started.
type launchReply struct {
	Error string `json:"error,omitempty"`
	// State is the job's record as it was then.
	State *jobdir.State `json:"state,omitempty"`
	// Unknown: the holder does not know the version that it was told.
	Unknown bool `json:"unknown,omitempty"`
}

// text is r as JSON.
func (r *launchReply) text() ([]byte, error) {
	if r.State == nil || r.Error != "" || r.Unknown {
		return json.Marshal(r)
	}
	b, err := r.State.AppendJSON([]byte(stateReply))
	return append(b, '}'), err
}

// stateReply begins the usual answer, which is a state and nothing else.
const stateReply = `{"state":`

// parseReply reads the JSON of a launchReply.
func parseReply(line string) (r launchReply, err error) {
	if inner, ok := strings.CutPrefix(line, stateReply); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); ok {
			if r.State, err = jobdir.ParseState([]byte(inner)); err == nil {
				return r, nil
			}
		}
	}
	r = launchReply{}
	return r, json.Unmarshal([]byte(line), &r)
}
