package engine

import (
	"math"
	"strconv"
	"time"

	"github.com/hobjobs/hob/internal/flatjson"
)

// MarshalJSON is the JSON form of the command line: every field present, null
// where it does not apply.
func (j Job) MarshalJSON() ([]byte, error) { return j.AppendJSON(nil, time.Now()), nil }

// AppendJSON appends the JSON form of j at now, which counts for the uptime of
// a job that runs. It is written by hand because a list has a thousand of them.
func (j Job) AppendJSON(dst []byte, now time.Time) []byte {
	e, finished := j.Ended()
	w := jsonWriter{flatjson.Writer{Buf: dst, Plain: true}}
	w.Open()
	w.Str("id", string(j.ID))
	w.Str("name", j.Name)
	if len(j.Command) > 0 {
		w.strs("command", j.Command)
	} else {
		w.Null("command")
	}
	w.opt("script", j.Script)
	w.opt("host", j.Host)
	w.opt("dir", j.Dir)
	w.opt("kind", string(j.Kind))
	w.Bool("backgrounded", j.Backgrounded)
	w.Str("status", string(j.Status))
	if finished {
		w.opt("reason", string(e.Reason))
		w.IntPtr("exit_code", e.Code)
		w.opt("signal", e.Signal)
		w.opt("error", e.Error)
	} else {
		for _, k := range []string{"reason", "exit_code", "signal", "error"} {
			w.Null(k)
		}
	}
	w.number("pid", int64(j.PID))
	w.time("started_at", j.StartedAt)
	if finished {
		w.time("ended_at", e.At)
	} else {
		w.Null("ended_at")
	}
	if j.StartedAt.IsZero() || finished && e.At.IsZero() {
		w.Null("uptime_seconds")
	} else {
		w.seconds("uptime_seconds", j.Uptime(now))
	}
	w.opt("output_path", j.OutputPath)
	w.opt("stdout_path", j.StdoutPath)
	w.opt("stderr_path", j.StderrPath)
	w.Int("output_bytes", j.Output)
	w.Int("dropped_bytes", j.Dropped)
	w.number("log_limit", j.LogLimit)
	w.Bool("waiting_for_input", j.Waiting)
	w.opt("title", j.Title)
	w.progress(j.Progress)
	w.Ints("ports", j.Ports)
	w.percent("cpu_percent", j.CPU)
	w.number("rss_bytes", j.RSS)
	w.size(j.Size)
	w.opt("cwd", j.Cwd)
	w.Bool("paused", j.Paused)
	if j.Timeout > 0 {
		w.seconds("timeout_seconds", j.Timeout)
	} else {
		w.Null("timeout_seconds")
	}
	w.time("deadline_at", j.Deadline)
	w.seconds("grace_seconds", j.Grace)
	w.time("stop_deadline_at", j.StopDeadline)
	w.strs("env_names", j.EnvNames)
	w.survivors(e.Survivors)
	w.opt("ended_by", e.EndedBy)
	w.opt("restarted_from", string(j.RestartedFrom))
	w.Str("link", string(j.Link))
	w.opt("link_error", j.LinkError)
	w.time("stale_since", j.StaleSince)
	w.opt("machine", j.Machine)
	w.time("created_at", j.CreatedAt)
	w.opt("created_by", j.CreatedBy)
	w.labels(j.Labels)
	w.Close()
	return w.Buf
}

// jsonWriter writes what does not apply as null.
type jsonWriter struct{ flatjson.Writer }

// opt is a text of which "" means that it does not apply.
func (w *jsonWriter) opt(k, v string) {
	if v == "" {
		w.Null(k)
		return
	}
	w.Str(k, v)
}

// number is a number of which 0 means that it does not apply.
func (w *jsonWriter) number(k string, v int64) {
	if v == 0 {
		w.Null(k)
		return
	}
	w.Int(k, v)
}

func (w *jsonWriter) seconds(k string, d time.Duration) {
	w.Key(k)
	// By milliseconds: Duration.Seconds would say 1.8319999999999999 of 1.832.
	w.Buf = strconv.AppendFloat(w.Buf, float64(d.Round(time.Millisecond).Milliseconds())/1000, 'f', -1, 64)
}

func (w *jsonWriter) percent(k string, v *float64) {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		w.Null(k)
		return
	}
	w.Key(k)
	w.Buf = strconv.AppendFloat(w.Buf, math.Round(*v*10)/10, 'f', -1, 64)
}

func (w *jsonWriter) time(k string, t time.Time) {
	if t.IsZero() {
		w.Null(k)
		return
	}
	w.Key(k)
	w.Buf = append(w.Buf, '"')
	w.Buf = t.AppendFormat(w.Buf, time.RFC3339Nano)
	w.Buf = append(w.Buf, '"')
}

// strs is a list that is never null.
func (w *jsonWriter) strs(k string, vs []string) {
	if vs == nil {
		vs = []string{}
	}
	w.Strs(k, vs)
}

func (w *jsonWriter) progress(p *Progress) {
	if p == nil {
		w.Null("progress")
		return
	}
	w.Key("progress")
	w.Open()
	w.Str("state", p.State)
	w.Int("percent", int64(p.Percent))
	w.Close()
}

func (w *jsonWriter) size(s Size) {
	if s == (Size{}) {
		w.Null("size")
		return
	}
	w.Key("size")
	w.Open()
	w.Int("cols", int64(s.Cols))
	w.Int("rows", int64(s.Rows))
	w.Close()
}

func (w *jsonWriter) survivors(ps []Process) {
	w.Key("survivors")
	w.Buf = append(w.Buf, '[')
	for i, p := range ps {
		if i > 0 {
			w.Buf = append(w.Buf, ',')
		}
		w.Open()
		w.Int("pid", int64(p.PID))
		w.Str("command", p.Command)
		w.Close()
	}
	w.Buf = append(w.Buf, ']')
}

// labels are an object that is never null.
func (w *jsonWriter) labels(labels map[string]string) {
	if len(labels) == 0 {
		w.Key("labels")
		w.Open()
		w.Close()
		return
	}
	w.OptStrMap("labels", labels)
}
