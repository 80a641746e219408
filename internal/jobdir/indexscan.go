package jobdir

import "github.com/hobjobs/hob/internal/flatjson"

// scan reads a line that encodeRecord wrote into d.line; false leaves that in any
// state.
func (d *decoder) scan(text string) bool {
	if d.field == nil {
		d.field = func(key string) { d.line.readField(&d.reader, key) }
	}
	d.line = indexLine{}
	d.reader.Reset(text)
	d.reader.Object(d.field)
	return d.reader.Done()
}

func (l *indexLine) readField(r *flatjson.Reader, key string) {
	switch key {
	case "id":
		l.ID = r.Str()
	case "tk":
		l.Token = r.Str()
	case "nm":
		l.Name = r.Str()
	case "cm":
		l.Command = r.Strs()
	case "sc":
		l.Script = r.Str()
	case "di":
		l.Dir = r.Str()
	case "ho":
		l.Host = r.Str()
	case "be":
		l.Backend = r.Str()
	case "ki":
		l.Kind = r.Str()
	case "sp":
		l.Split = r.Bool()
	case "si":
		l.Stdin = r.Str()
	case "co":
		l.Cols = int(r.Int())
	case "ro":
		l.Rows = int(r.Int())
	case "to":
		l.TimeoutMS = r.Int()
	case "gr":
		l.GraceMS = r.Int()
	case "ll":
		l.LogLimit = r.Int()
	case "en":
		l.EnvNames = r.Strs()
	case "no":
		l.Notify = r.Bool()
	case "ma":
		l.Machine = r.Str()
	case "ca":
		l.CreatedAt = r.Int()
	case "cb":
		l.CreatedBy = r.Str()
	case "rf":
		l.Restarted = r.Str()
	case "st":
		l.Ran = r.Bool()
	case "wm":
		l.Where = r.Str()
	case "pi":
		l.PID = int(r.Int())
	case "ps":
		l.Start = r.Str()
	case "sa":
		l.StartedAt = r.Int()
	case "bg":
		l.Backgrounded = r.Bool()
	case "ti":
		l.Title = r.Str()
	case "cw":
		l.Cwd = r.Str()
	case "nt":
		l.NoTerminal = r.Bool()
	case "nl":
		l.NoLimit = r.Bool()
	case "dr":
		l.Dropped = r.Int()
	case "hd":
		l.HostDir = r.Str()
	case "hs":
		l.HoleStart = r.Int()
	case "he":
		l.HoleEnd = r.Int()
	case "ed":
		l.End = r.Bool()
	case "ea":
		l.EndAt = r.Int()
	case "rm":
		l.RanMS = r.Int()
	case "bm":
		l.BootMS = r.Int()
	case "bo":
		l.Boot = r.Str()
	case "pn":
		l.PIDNS = r.Str()
	case "es":
		l.Status = r.Str()
	case "ec":
		l.EndCode = r.IntPtr()
	case "ex":
		l.SameCode = r.Bool()
	case "sg":
		l.Signal = r.Str()
	case "cd":
		l.Core = r.Bool()
	case "re":
		l.Reason = r.Str()
	case "eb":
		l.EndedBy = r.Str()
	case "er":
		l.Error = r.Str()
	case "um":
		l.UserMS = r.Int()
	case "sm":
		l.SystemMS = r.Int()
	case "mr":
		l.MaxRSS = r.Int()
	case "xc":
		l.Code = r.IntPtr()
	case "ou":
		l.Output = r.Int()
	case "tc":
		l.Touched = r.Int()
	case "la":
		l.Labels = r.StrMap()
	default: // survivors, and what is no UTF-8, are rare: encoding/json reads such a line
		r.Unknown()
	}
}
