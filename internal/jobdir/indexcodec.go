package jobdir

import (
	"bytes"
	"encoding/json"
	"time"

	fastjson "github.com/segmentio/encoding/json"
)

// indexLine is a line's JSON. Keys are short and what is empty is left out: a
// thousand lines are read each time jobs are listed. The id comes first. Times are nanoseconds
// since 1970.
type indexLine struct {
	ID           string            `json:"id"`
	Token        string            `json:"tk,omitempty"`
	Name         string            `json:"nm,omitempty"`
	Command      []string          `json:"cm,omitempty"`
	Script       string            `json:"sc,omitempty"`
	Dir          string            `json:"di,omitempty"`
	Host         string            `json:"ho,omitempty"`
	Backend      string            `json:"be,omitempty"`
	Kind         string            `json:"ki,omitempty"`
	Split        bool              `json:"sp,omitempty"`
	Stdin        string            `json:"si,omitempty"`
	Cols         int               `json:"co,omitempty"`
	Rows         int               `json:"ro,omitempty"`
	TimeoutMS    int64             `json:"to,omitempty"`
	GraceMS      int64             `json:"gr,omitempty"`
	LogLimit     int64             `json:"ll,omitempty"`
	EnvNames     []string          `json:"en,omitempty"`
	Labels       map[string]string `json:"la,omitempty"`
	Notify       bool              `json:"no,omitempty"`
	Machine      string            `json:"ma,omitempty"`
	CreatedAt    int64             `json:"ca,omitempty"`
	CreatedBy    string            `json:"cb,omitempty"`
	Restarted    string            `json:"rf,omitempty"`
	Ran          bool              `json:"st,omitempty"` // there was a state.json
	Where        string            `json:"wm,omitempty"` // the machine it ran on
	PID          int               `json:"pi,omitempty"`
	Start        string            `json:"ps,omitempty"`
	StartedAt    int64             `json:"sa,omitempty"`
	Backgrounded bool              `json:"bg,omitempty"`
	Title        string            `json:"ti,omitempty"`
	Cwd          string            `json:"cw,omitempty"`
	NoTerminal   bool              `json:"nt,omitempty"`
	NoLimit      bool              `json:"nl,omitempty"`
	Dropped      int64             `json:"dr,omitempty"`
	HostDir      string            `json:"hd,omitempty"`
	HoleStart    int64             `json:"hs,omitempty"`
	HoleEnd      int64             `json:"he,omitempty"`
	End          bool              `json:"ed,omitempty"` // state.json has an end
	EndAt        int64             `json:"ea,omitempty"`
	RanMS        int64             `json:"rm,omitempty"`
	BootMS       int64             `json:"bm,omitempty"`
	Boot         string            `json:"bo,omitempty"` // the boot that BootMS and Survivors are of
	PIDNS        string            `json:"pn,omitempty"` // and their pid namespace
	Status       string            `json:"es,omitempty"`
	EndCode      *int              `json:"ec,omitempty"`
	SameCode     bool              `json:"ex,omitempty"` // it is that of exit_code
	Signal       string            `json:"sg,omitempty"`
	Core         bool              `json:"cd,omitempty"`
	Reason       string            `json:"re,omitempty"`
	EndedBy      string            `json:"eb,omitempty"`
	Error        string            `json:"er,omitempty"`
	UserMS       int64             `json:"um,omitempty"`
	SystemMS     int64             `json:"sm,omitempty"`
	MaxRSS       int64             `json:"mr,omitempty"`
	Survivors    []Process         `json:"su,omitempty"`
	Code         *int              `json:"xc,omitempty"` // exit_code
	Output       int64             `json:"ou,omitempty"`
	Touched      int64             `json:"tc,omitempty"`
	Exact        *Exact            `json:"xa,omitempty"` // see Meta
}

// same stands for the machine where the job was asked for.
const same = "="

func encodeRecord(r *Record) []byte {
	m, s := &r.Meta, &r.State
	l := indexLine{
		ID: r.ID, Token: m.Token, Name: m.Name, Command: m.Command, Script: m.Script, Dir: m.Dir, Host: m.Host,
		Backend: m.Backend, Kind: m.Kind, Split: m.Split, Stdin: m.Stdin, Cols: m.Size.Cols, Rows: m.Size.Rows,
		TimeoutMS: m.TimeoutMS, GraceMS: m.GraceMS, LogLimit: m.LogLimit, EnvNames: m.EnvNames, Labels: m.Labels,
		Notify: m.Notify, Machine: m.Machine, CreatedAt: nanos(m.CreatedAt), CreatedBy: m.CreatedBy, Restarted: m.RestartedFrom,
		Ran: r.Started, Where: s.Machine, PID: s.Job.PID, Start: s.Job.Start, StartedAt: nanos(s.StartedAt),
		Backgrounded: s.Backgrounded || m.Backgrounded, Title: s.Title, Cwd: s.Cwd, HostDir: s.HostDir, NoLimit: s.NoLimit, Dropped: s.Dropped,
		NoTerminal: s.NoTerminal,
		HoleStart:  s.Hole.Start, HoleEnd: s.Hole.End, Code: r.Code, Output: r.Output, Touched: nanos(r.Touched),
		Exact: exactOf(m),
	}
	if s.Size != (Size{}) {
		l.Cols, l.Rows = s.Size.Cols, s.Size.Rows
	}
	if e := s.End; e != nil {
		l.End, l.EndAt, l.Status, l.EndCode, l.Signal, l.Core = true, nanos(e.At), e.Status, e.Code, e.Signal, e.Core
		l.Reason, l.EndedBy, l.Error, l.Survivors = e.Reason, e.EndedBy, e.Error, e.Survivors
		l.UserMS, l.SystemMS, l.MaxRSS = e.UserMS, e.SystemMS, e.MaxRSS
		l.RanMS, l.BootMS = e.RanMS, e.BootMS
		if l.BootMS != 0 || len(l.Survivors) > 0 {
			l.Boot, l.PIDNS = s.BootID, s.PIDNS
		}
	}
	if l.Where == l.Machine {
		l.Where = same
	}
	if l.Code != nil && l.EndCode != nil && *l.Code == *l.EndCode {
		l.EndCode = nil
		l.SameCode = true
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // "&&" is common and would make the line longer
	if err := enc.Encode(&l); err != nil {
		panic(err) // nothing in it can fail to be encoded
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'})
}

// record is what the line was written from.
func (l *indexLine) record() *Record {
	if l.Where == same {
		l.Where = l.Machine
	}
	if l.SameCode {
		l.EndCode = l.Code
	}
	size := Size{l.Cols, l.Rows}
	rec := &Record{ID: l.ID, Started: l.Ran, Code: l.Code, Output: l.Output, Touched: stamp(l.Touched)}
	m := &rec.Meta
	m.Version, m.ID, m.Token, m.Name, m.Command, m.Script = Version, l.ID, l.Token, l.Name, l.Command, l.Script
	m.Dir, m.Host, m.Backend, m.Kind, m.Split, m.Stdin, m.Size = l.Dir, l.Host, l.Backend, l.Kind, l.Split, l.Stdin, size
	m.TimeoutMS, m.GraceMS, m.LogLimit, m.EnvNames, m.Labels = l.TimeoutMS, l.GraceMS, l.LogLimit, l.EnvNames, l.Labels
	m.Notify, m.Machine, m.CreatedAt, m.CreatedBy = l.Notify, l.Machine, stamp(l.CreatedAt), l.CreatedBy
	m.RestartedFrom, m.Backgrounded = l.Restarted, l.Backgrounded
	l.Exact.restore(m)
	if m.EnvNames == nil {
		m.EnvNames = []string{} // as meta.json has it
	}
	s := &rec.State
	s.Version, s.Machine, s.Job.PID, s.Job.Start, s.StartedAt = Version, l.Where, l.PID, l.Start, stamp(l.StartedAt)
	s.Backgrounded, s.Title, s.Cwd, s.Size = l.Backgrounded, l.Title, l.Cwd, size
	s.HostDir, s.Output = l.HostDir, l.Output
	if s.NoTerminal = l.NoTerminal; s.NoTerminal {
		s.Size = Size{}
	}
	s.NoLimit, s.Dropped, s.Hole = l.NoLimit, l.Dropped, Range{l.HoleStart, l.HoleEnd}
	if l.End {
		s.End = &End{
			At: stamp(l.EndAt), Status: l.Status, Code: l.EndCode, Signal: l.Signal, Core: l.Core, Reason: l.Reason,
			EndedBy: l.EndedBy, Error: l.Error, UserMS: l.UserMS, SystemMS: l.SystemMS, MaxRSS: l.MaxRSS, Survivors: l.Survivors,
			RanMS: l.RanMS, BootMS: l.BootMS,
		}
		s.BootID, s.PIDNS = l.Boot, l.PIDNS
	}
	return rec
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func stamp(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// decodeLine reads a line's JSON. A list or a prompt reads all lines: with
// encoding/json the whole command takes half as long again.
func decodeLine(text []byte) (l indexLine, err error) {
	err = fastjson.Unmarshal(text, &l)
	return l, err
}
