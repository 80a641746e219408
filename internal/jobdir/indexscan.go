package jobdir

import (
	"encoding/json"
	"strings"
)

// scanner reads JSON as encodeRecord writes it, without white space, several
// times as fast as encoding/json. Whatever it does not expect sets bad.
type scanner struct {
	s     string
	i     int
	bad   bool
	arena *arena
}

// scanLine decodes text into l; false leaves l in any state.
func scanLine(text string, l *indexLine, a *arena) bool {
	p := scanner{s: text, arena: a}
	p.expect('{')
	for !p.bad {
		rest := p.s[p.i:]
		if len(rest) < 6 || rest[0] != '"' || rest[3] != '"' || rest[4] != ':' {
			return false
		}
		p.i += 5
		p.field(rest[1:3], l)
		if p.take('}') {
			return !p.bad && p.i == len(p.s)
		}
		p.expect(',')
	}
	return false
}

func (p *scanner) field(key string, l *indexLine) {
	switch key {
	case "id":
		l.ID = p.str()
	case "tk":
		l.Token = p.str()
	case "nm":
		l.Name = p.str()
	case "cm":
		l.Command = p.strs()
	case "sc":
		l.Script = p.str()
	case "di":
		l.Dir = p.str()
	case "ho":
		l.Host = p.str()
	case "be":
		l.Backend = p.str()
	case "ki":
		l.Kind = p.str()
	case "sp":
		l.Split = p.bool()
	case "si":
		l.Stdin = p.str()
	case "co":
		l.Cols = int(p.int())
	case "ro":
		l.Rows = int(p.int())
	case "to":
		l.TimeoutMS = p.int()
	case "gr":
		l.GraceMS = p.int()
	case "ll":
		l.LogLimit = p.int()
	case "en":
		l.EnvNames = p.strs()
	case "no":
		l.Notify = p.bool()
	case "ma":
		l.Machine = p.str()
	case "ca":
		l.CreatedAt = p.int()
	case "cb":
		l.CreatedBy = p.str()
	case "rf":
		l.Restarted = p.str()
	case "st":
		l.Ran = p.bool()
	case "wm":
		l.Where = p.str()
	case "pi":
		l.PID = int(p.int())
	case "ps":
		l.Start = p.str()
	case "sa":
		l.StartedAt = p.int()
	case "bg":
		l.Backgrounded = p.bool()
	case "ti":
		l.Title = p.str()
	case "cw":
		l.Cwd = p.str()
	case "nt":
		l.NoTerminal = p.bool()
	case "nl":
		l.NoLimit = p.bool()
	case "dr":
		l.Dropped = p.int()
	case "hd":
		l.HostDir = p.str()
	case "hs":
		l.HoleStart = p.int()
	case "he":
		l.HoleEnd = p.int()
	case "ed":
		l.End = p.bool()
	case "ea":
		l.EndAt = p.int()
	case "rm":
		l.RanMS = p.int()
	case "bm":
		l.BootMS = p.int()
	case "bo":
		l.Boot = p.str()
	case "es":
		l.Status = p.str()
	case "ec":
		l.EndCode = p.intp()
	case "ex":
		l.SameCode = p.bool()
	case "sg":
		l.Signal = p.str()
	case "cd":
		l.Core = p.bool()
	case "re":
		l.Reason = p.str()
	case "eb":
		l.EndedBy = p.str()
	case "er":
		l.Error = p.str()
	case "um":
		l.UserMS = p.int()
	case "sm":
		l.SystemMS = p.int()
	case "mr":
		l.MaxRSS = p.int()
	case "xc":
		l.Code = p.intp()
	case "ou":
		l.Output = p.int()
	case "tc":
		l.Touched = p.int()
	case "la":
		l.Labels = p.strmap()
	default: // survivors are rare: encoding/json reads such a line
		p.bad = true
	}
}

func (p *scanner) take(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *scanner) expect(c byte) {
	if !p.take(c) {
		p.bad = true
	}
}

// str reads a string. Without escapes it is a part of the text.
func (p *scanner) str() string {
	if !p.take('"') {
		p.bad = true
		return ""
	}
	start := p.i
	for i := start; i < len(p.s); i++ {
		switch p.s[i] {
		case '"':
			p.i = i + 1
			return p.s[start:i]
		case '\\':
			return p.escaped(start)
		}
	}
	p.bad = true
	return ""
}

func (p *scanner) escaped(start int) string {
	for i := start; i < len(p.s); i++ {
		switch p.s[i] {
		case '\\':
			i++
		case '"':
			var s string
			if json.Unmarshal([]byte(p.s[start-1:i+1]), &s) != nil {
				p.bad = true
			}
			p.i = i + 1
			return s
		}
	}
	p.bad = true
	return ""
}

func (p *scanner) strs() []string {
	p.expect('[')
	if p.take(']') {
		return []string{}
	}
	a := p.arena
	if cap(a.strs)-len(a.strs) < maxFewStrings {
		a.strs = make([]string, 0, arenaChunk)
	}
	for n := len(a.strs); !p.bad; {
		a.strs = append(a.strs, p.str())
		if p.take(']') {
			return a.take(n)
		}
		p.expect(',')
	}
	return nil
}

// maxFewStrings is how many strings a list has at most that is not copied.
const maxFewStrings = 16

func (p *scanner) strmap() map[string]string {
	p.expect('{')
	out := make(map[string]string)
	if p.take('}') {
		return out
	}
	for !p.bad {
		k := p.str()
		p.expect(':')
		out[k] = p.str()
		if p.take('}') {
			return out
		}
		p.expect(',')
	}
	return nil
}

func (p *scanner) int() int64 {
	neg := p.take('-')
	start, v := p.i, int64(0)
	for p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9' {
		v = v*10 + int64(p.s[p.i]-'0')
		p.i++
	}
	if n := p.i - start; n == 0 || n > 18 && v < 0 || n > 19 {
		p.bad = true
	}
	if neg {
		return -v
	}
	return v
}

func (p *scanner) intp() *int {
	return p.arena.int(int(p.int()))
}

func (p *scanner) bool() bool {
	if strings.HasPrefix(p.s[p.i:], "true") {
		p.i += 4
		return true
	}
	if strings.HasPrefix(p.s[p.i:], "false") {
		p.i += 5
		return false
	}
	p.bad = true
	return false
}
