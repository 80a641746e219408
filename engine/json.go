package engine

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// MarshalJSON is the JSON form of the command line: every field present, null
// where it does not apply.
func (j Job) MarshalJSON() ([]byte, error) { return j.AppendJSON(nil, time.Now()), nil }

// AppendJSON appends the JSON form of j at now, which counts for the uptime of
// a job that runs. It is written by hand because a list has a thousand of them.
func (j Job) AppendJSON(dst []byte, now time.Time) []byte {
	e, finished := j.Ended()
	w := jsonWriter{dst}
	w.b = append(w.b, '{')
	w.str("id", string(j.ID))
	w.str("name", j.Name)
	if len(j.Command) > 0 {
		w.strs("command", j.Command)
	} else {
		w.null("command")
	}
	w.opt("script", j.Script)
	w.opt("host", j.Host)
	w.opt("dir", j.Dir)
	w.opt("kind", string(j.Kind))
	w.bool("backgrounded", j.Backgrounded)
	w.str("status", string(j.Status))
	if finished {
		w.opt("reason", string(e.Reason))
		w.intp("exit_code", e.Code)
		w.opt("signal", e.Signal)
		w.opt("error", e.Error)
	} else {
		for _, k := range []string{"reason", "exit_code", "signal", "error"} {
			w.null(k)
		}
	}
	w.number("pid", int64(j.PID))
	w.time("started_at", j.StartedAt)
	if finished {
		w.time("ended_at", e.At)
	} else {
		w.null("ended_at")
	}
	if j.StartedAt.IsZero() || finished && e.At.IsZero() {
		w.null("uptime_seconds")
	} else {
		w.seconds("uptime_seconds", j.Uptime(now))
	}
	w.opt("output_path", j.OutputPath)
	w.opt("stdout_path", j.StdoutPath)
	w.opt("stderr_path", j.StderrPath)
	w.int("output_bytes", j.Output)
	w.int("dropped_bytes", j.Dropped)
	w.number("log_limit", j.LogLimit)
	w.bool("waiting_for_input", j.Waiting)
	w.opt("title", j.Title)
	w.progress(j.Progress)
	w.ports(j.Ports)
	w.percent("cpu_percent", j.CPU)
	w.number("rss_bytes", j.RSS)
	w.size(j.Size)
	w.opt("cwd", j.Cwd)
	w.bool("paused", j.Paused)
	if j.Timeout > 0 {
		w.seconds("timeout_seconds", j.Timeout)
	} else {
		w.null("timeout_seconds")
	}
	w.time("deadline_at", j.Deadline)
	w.seconds("grace_seconds", j.Grace)
	w.time("stop_deadline_at", j.StopDeadline)
	w.strs("env_names", j.EnvNames)
	w.survivors(e.Survivors)
	w.opt("ended_by", e.EndedBy)
	w.opt("restarted_from", string(j.RestartedFrom))
	w.str("link", string(j.Link))
	w.opt("link_error", j.LinkError)
	w.time("stale_since", j.StaleSince)
	w.opt("machine", j.Machine)
	w.time("created_at", j.CreatedAt)
	w.opt("created_by", j.CreatedBy)
	w.labels(j.Labels)
	return append(w.b, '}')
}

type jsonWriter struct{ b []byte }

func (w *jsonWriter) key(k string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, '"')
	w.b = append(w.b, k...)
	w.b = append(w.b, '"', ':')
}

func (w *jsonWriter) null(k string) {
	w.key(k)
	w.b = append(w.b, "null"...)
}

func (w *jsonWriter) str(k, v string) {
	w.key(k)
	w.b = appendString(w.b, v)
}

func (w *jsonWriter) opt(k, v string) {
	if v == "" {
		w.null(k)
		return
	}
	w.str(k, v)
}

func (w *jsonWriter) bool(k string, v bool) {
	w.key(k)
	w.b = strconv.AppendBool(w.b, v)
}

func (w *jsonWriter) int(k string, v int64) {
	w.key(k)
	w.b = strconv.AppendInt(w.b, v, 10)
}

// number is a number of which 0 means that it does not apply.
func (w *jsonWriter) number(k string, v int64) {
	if v == 0 {
		w.null(k)
		return
	}
	w.int(k, v)
}

func (w *jsonWriter) intp(k string, v *int) {
	if v == nil {
		w.null(k)
		return
	}
	w.int(k, int64(*v))
}

func (w *jsonWriter) seconds(k string, d time.Duration) {
	w.key(k)
	// By milliseconds: Duration.Seconds would say 1.8319999999999999 of 1.832.
	w.b = strconv.AppendFloat(w.b, float64(d.Round(time.Millisecond).Milliseconds())/1000, 'f', -1, 64)
}

func (w *jsonWriter) percent(k string, v *float64) {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		w.null(k)
		return
	}
	w.key(k)
	w.b = strconv.AppendFloat(w.b, math.Round(*v*10)/10, 'f', -1, 64)
}

func (w *jsonWriter) time(k string, t time.Time) {
	if t.IsZero() {
		w.null(k)
		return
	}
	w.key(k)
	w.b = append(w.b, '"')
	w.b = t.AppendFormat(w.b, time.RFC3339Nano)
	w.b = append(w.b, '"')
}

func (w *jsonWriter) strs(k string, vs []string) {
	w.key(k)
	w.b = append(w.b, '[')
	for i, v := range vs {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = appendString(w.b, v)
	}
	w.b = append(w.b, ']')
}

func (w *jsonWriter) progress(p *Progress) {
	if p == nil {
		w.null("progress")
		return
	}
	w.key("progress")
	w.b = append(w.b, '{')
	w.str("state", p.State)
	w.int("percent", int64(p.Percent))
	w.b = append(w.b, '}')
}

func (w *jsonWriter) ports(ports []int) {
	if ports == nil {
		w.null("ports")
		return
	}
	w.key("ports")
	w.b = append(w.b, '[')
	for i, p := range ports {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = strconv.AppendInt(w.b, int64(p), 10)
	}
	w.b = append(w.b, ']')
}

func (w *jsonWriter) size(s Size) {
	if s == (Size{}) {
		w.null("size")
		return
	}
	w.key("size")
	w.b = append(w.b, '{')
	w.int("cols", int64(s.Cols))
	w.int("rows", int64(s.Rows))
	w.b = append(w.b, '}')
}

func (w *jsonWriter) survivors(ps []Process) {
	w.key("survivors")
	w.b = append(w.b, '[')
	for i, p := range ps {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, '{')
		w.int("pid", int64(p.PID))
		w.str("command", p.Command)
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, ']')
}

func (w *jsonWriter) labels(labels map[string]string) {
	w.key("labels")
	w.b = append(w.b, '{')
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		if w.b[len(w.b)-1] != '{' {
			w.b = append(w.b, ',')
		}
		w.b = appendString(w.b, k)
		w.b = append(w.b, ':')
		w.b = appendString(w.b, labels[k])
	}
	w.b = append(w.b, '}')
}

// appendString appends s as a JSON string. Plain ASCII, nearly everything there
// is, is copied; the rest is left to encoding/json.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			q, err := json.Marshal(s)
			if err != nil {
				q = []byte(`""`)
			}
			return append(b, q...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
