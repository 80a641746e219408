package jobdir

import (
	"encoding/json"

	"github.com/hobjobs/hob/internal/flatjson"
)

// The records that each start writes and reads, without reflection (see package
// flatjson). What is rare in them, and what somebody else wrote, is left to
// encoding/json, with the same result.

// appendMeta appends the JSON of m.
func appendMeta(b []byte, m *Meta) ([]byte, error) {
	if m.Exact != nil {
		return appendAny(b, m)
	}
	w := flatjson.Writer{Buf: b}
	w.Open()
	w.Int("version", int64(m.Version))
	w.Str("token", m.Token)
	w.Str("id", m.ID)
	w.Str("name", m.Name)
	w.Strs("command", m.Command)
	w.OptStr("script", m.Script)
	w.Str("dir", m.Dir)
	w.OptStr("host", m.Host)
	w.Str("backend", m.Backend)
	w.Str("kind", m.Kind)
	w.OptBool("split", m.Split)
	w.Str("stdin", m.Stdin)
	writeSize(&w, m.Size)
	w.OptInt("timeout_ms", m.TimeoutMS)
	w.Int("grace_ms", m.GraceMS)
	w.OptInt("log_limit", m.LogLimit)
	w.Strs("env_names", m.EnvNames)
	w.OptStrMap("labels", m.Labels)
	w.OptBool("backgrounded", m.Backgrounded)
	w.OptBool("notify", m.Notify)
	w.Str("machine", m.Machine)
	w.Time("created_at", m.CreatedAt)
	w.Str("created_by", m.CreatedBy)
	w.OptStr("restarted_from", m.RestartedFrom)
	w.OptBool("held", m.Held)
	w.Close()
	return w.Buf, w.Err
}

func appendAny(b []byte, v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(b, data...), err
}

func writeSize(w *flatjson.Writer, s Size) {
	w.Key("size")
	w.Open()
	w.Int("cols", int64(s.Cols))
	w.Int("rows", int64(s.Rows))
	w.Close()
}

// parseMeta reads the JSON of a Meta.
func parseMeta(data []byte, m *Meta) error {
	r := flatjson.NewReader(data)
	readMeta(r, m)
	if r.Done() {
		return nil
	}
	*m = Meta{}
	return json.Unmarshal(data, m)
}

func readMeta(r *flatjson.Reader, m *Meta) {
	r.Object(func(key string) {
		switch key {
		case "version":
			m.Version = int(r.Int())
		case "token":
			m.Token = r.Str()
		case "id":
			m.ID = r.Str()
		case "name":
			m.Name = r.Str()
		case "command":
			m.Command = r.Strs()
		case "script":
			m.Script = r.Str()
		case "dir":
			m.Dir = r.Str()
		case "host":
			m.Host = r.Str()
		case "backend":
			m.Backend = r.Str()
		case "kind":
			m.Kind = r.Str()
		case "split":
			m.Split = r.Bool()
		case "stdin":
			m.Stdin = r.Str()
		case "size":
			m.Size = readSize(r)
		case "timeout_ms":
			m.TimeoutMS = r.Int()
		case "grace_ms":
			m.GraceMS = r.Int()
		case "log_limit":
			m.LogLimit = r.Int()
		case "env_names":
			m.EnvNames = r.Strs()
		case "labels":
			m.Labels = r.StrMap()
		case "backgrounded":
			m.Backgrounded = r.Bool()
		case "notify":
			m.Notify = r.Bool()
		case "machine":
			m.Machine = r.Str()
		case "created_at":
			m.CreatedAt = r.Time()
		case "created_by":
			m.CreatedBy = r.Str()
		case "restarted_from":
			m.RestartedFrom = r.Str()
		case "held":
			m.Held = r.Bool()
		default:
			r.Unknown()
		}
	})
}

func readSize(r *flatjson.Reader) (s Size) {
	r.Object(func(key string) {
		switch key {
		case "cols":
			s.Cols = int(r.Int())
		case "rows":
			s.Rows = int(r.Int())
		default:
			r.Unknown()
		}
	})
	return s
}
