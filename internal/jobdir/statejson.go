package jobdir

import (
	"encoding/json"

	"github.com/hobjobs/hob/internal/flatjson"
	"github.com/hobjobs/hob/internal/proc"
)

// AppendJSON appends the JSON of s.
func (s *State) AppendJSON(b []byte) ([]byte, error) {
	if s.Stopping != nil || s.Progress != nil || s.End != nil && len(s.End.Survivors) > 0 {
		return appendAny(b, s)
	}
	w := flatjson.Writer{Buf: b}
	w.Open()
	w.Int("version", int64(s.Version))
	w.Str("machine", s.Machine)
	w.Str("boot_id", s.BootID)
	w.OptStr("pid_ns", s.PIDNS)
	writeIdentity(&w, "holder", s.Holder)
	writeIdentity(&w, "job", s.Job)
	w.OptInt("session", int64(s.Session))
	w.OptStr("socket", s.Socket)
	w.OptInt("protocol", int64(s.Protocol))
	w.Time("started_at", s.StartedAt)
	w.OptInt("started_up_ms", s.StartedUpMS)
	w.OptStr("up_boot", s.UpBoot)
	w.Bool("backgrounded", s.Backgrounded)
	w.OptBool("paused", s.Paused)
	w.OptBool("waiting", s.Waiting)
	w.OptStr("entry", s.Entry)
	w.OptBool("alternate", s.Alternate)
	w.OptStr("title", s.Title)
	w.OptStr("cwd", s.Cwd)
	writeSize(&w, s.Size)
	if !s.Deadline.IsZero() {
		w.Time("deadline", s.Deadline)
	}
	w.OptBool("no_terminal", s.NoTerminal)
	w.OptBool("no_limit", s.NoLimit)
	w.OptInt("dropped", s.Dropped)
	if s.Hole != (Range{}) {
		w.Key("hole")
		w.Open()
		w.Int("start", s.Hole.Start)
		w.Int("end", s.Hole.End)
		w.Close()
	}
	w.OptInt("hole_lines", s.HoleLines)
	if s.End != nil {
		w.Key("end")
		writeEnd(&w, s.End)
	}
	w.OptStr("host_dir", s.HostDir)
	w.OptInt("output", s.Output)
	w.Close()
	return w.Buf, w.Err
}

func writeIdentity(w *flatjson.Writer, key string, id proc.Identity) {
	w.Key(key)
	w.Open()
	w.Int("pid", int64(id.PID))
	w.Str("start", id.Start)
	w.Close()
}

func writeEnd(w *flatjson.Writer, e *End) {
	w.Open()
	w.Time("at", e.At)
	w.OptInt("ran_ms", e.RanMS)
	w.OptInt("boot_ms", e.BootMS)
	w.Str("status", e.Status)
	w.IntPtr("code", e.Code)
	w.OptStr("signal", e.Signal)
	w.OptBool("core", e.Core)
	w.Str("reason", e.Reason)
	w.OptStr("ended_by", e.EndedBy)
	w.OptStr("error", e.Error)
	w.OptInt("user_ms", e.UserMS)
	w.OptInt("system_ms", e.SystemMS)
	w.OptInt("max_rss", e.MaxRSS)
	w.Close()
}

// ParseState reads the JSON of a State.
func ParseState(data []byte) (*State, error) {
	s := &State{}
	r := flatjson.NewReader(data)
	readState(r, s)
	if r.Done() {
		return s, nil
	}
	s = &State{}
	return s, json.Unmarshal(data, s)
}

func readState(r *flatjson.Reader, s *State) {
	r.Object(func(key string) {
		switch key {
		case "version":
			s.Version = int(r.Int())
		case "machine":
			s.Machine = r.Str()
		case "boot_id":
			s.BootID = r.Str()
		case "pid_ns":
			s.PIDNS = r.Str()
		case "holder":
			s.Holder = readIdentity(r)
		case "job":
			s.Job = readIdentity(r)
		case "session":
			s.Session = int(r.Int())
		case "socket":
			s.Socket = r.Str()
		case "protocol":
			s.Protocol = int(r.Int())
		case "started_at":
			s.StartedAt = r.Time()
		case "started_up_ms":
			s.StartedUpMS = r.Int()
		case "up_boot":
			s.UpBoot = r.Str()
		case "backgrounded":
			s.Backgrounded = r.Bool()
		case "paused":
			s.Paused = r.Bool()
		case "waiting":
			s.Waiting = r.Bool()
		case "entry":
			s.Entry = r.Str()
		case "alternate":
			s.Alternate = r.Bool()
		case "title":
			s.Title = r.Str()
		case "cwd":
			s.Cwd = r.Str()
		case "size":
			s.Size = readSize(r)
		case "deadline":
			s.Deadline = r.Time()
		case "no_terminal":
			s.NoTerminal = r.Bool()
		case "no_limit":
			s.NoLimit = r.Bool()
		case "dropped":
			s.Dropped = r.Int()
		case "hole":
			s.Hole = readRange(r)
		case "hole_lines":
			s.HoleLines = r.Int()
		case "end":
			s.End = readEnd(r)
		case "host_dir":
			s.HostDir = r.Str()
		case "output":
			s.Output = r.Int()
		default: // a stop under way, a progress
			r.Unknown()
		}
	})
}

func readIdentity(r *flatjson.Reader) (id proc.Identity) {
	r.Object(func(key string) {
		switch key {
		case "pid":
			id.PID = int(r.Int())
		case "start":
			id.Start = r.Str()
		default:
			r.Unknown()
		}
	})
	return id
}

func readRange(r *flatjson.Reader) (x Range) {
	r.Object(func(key string) {
		switch key {
		case "start":
			x.Start = r.Int()
		case "end":
			x.End = r.Int()
		default:
			r.Unknown()
		}
	})
	return x
}

func readEnd(r *flatjson.Reader) *End {
	e := &End{}
	r.Object(func(key string) {
		switch key {
		case "at":
			e.At = r.Time()
		case "ran_ms":
			e.RanMS = r.Int()
		case "boot_ms":
			e.BootMS = r.Int()
		case "status":
			e.Status = r.Str()
		case "code":
			e.Code = r.IntPtr()
		case "signal":
			e.Signal = r.Str()
		case "core":
			e.Core = r.Bool()
		case "reason":
			e.Reason = r.Str()
		case "ended_by":
			e.EndedBy = r.Str()
		case "error":
			e.Error = r.Str()
		case "user_ms":
			e.UserMS = r.Int()
		case "system_ms":
			e.SystemMS = r.Int()
		case "max_rss":
			e.MaxRSS = r.Int()
		default: // survivors
			r.Unknown()
		}
	})
	return e
}
