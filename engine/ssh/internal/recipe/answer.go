package recipe

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/jobdir"
)

// Host is what [Hello] finds out.
type Host struct {
	Base string // empty: no HOME there
	Clock
	System  string
	User    string
	Machine string
	Tools   []string
	Proc    bool // there is a /proc
	Posh    bool // a shell whose kill hits the wrong processes
	Nested  string
}

// Clock is the host's clocks at the moment of an answer.
type Clock struct {
	Boot string  // names the boot; "-": unknown
	Up   float64 // seconds; negative: unknown
	Date int64   // seconds since 1970
}

func (c *Clock) take(word, rest string) bool {
	switch word {
	case "boot":
		boot, up, _ := strings.Cut(rest, " ")
		c.Boot = boot
		c.Up = seconds(up)
	case "date":
		c.Date, _ = strconv.ParseInt(rest, 10, 64)
	default:
		return false
	}
	return true
}

func seconds(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return -1
	}
	return v
}

// ParseHello reads the answer to [Hello].
func ParseHello(out []byte) Host {
	var h Host
	for line := range strings.Lines(string(out)) {
		word, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch {
		case h.take(word, rest):
		case word == "base":
			h.Base = rest
		case word == "system":
			h.System = rest
		case word == "user":
			h.User = rest
		case word == "machine":
			h.Machine = rest
		case word == "tools":
			h.Tools = strings.Fields(rest)
		case word == "proc":
			h.Proc = true
		case word == "posh":
			h.Posh = true
		case word == "nested":
			h.Nested = rest
		}
	}
	return h
}

// Process is a process as a file of the job names it.
type Process struct {
	PID         int
	Start, Boot string
	Mode        string // how the job was started: setsid, monitor, perl, shared
}

// Moment is a time on the host.
type Moment struct {
	Date int64
	Up   float64 // negative: unknown
}

// EndedBy is who asked for the job's end.
type EndedBy struct {
	Reason, By string
	Date       int64
	Grace      int64 // tenths of a second
}

// Entry is what a job directory on a host says, and what the system there says
// of its processes.
type Entry struct {
	ID       string
	Gone     bool // there is no directory
	Claimed  bool // it was started, ever
	Ready    bool // the job itself runs, or did
	Token    string
	Over     bool // there is an exit_code
	Code     *int // nil: it cannot be read
	Wrapper  *Process
	Job      *Process
	Started  *Moment
	Ended    *Moment
	EndedBy  *EndedBy
	Failed   string // why it could not be started
	Left     []Left
	NoLimit  bool
	Holes    map[string][2]int64 // by log
	Sizes    map[string]int64    // by log
	Strange  []string            // logs that are no regular files
	Group    bool                // somebody is in the job's process group
	Live     string              // start of the process that has the job's pid now
	State    string              // its state letter, where known
	WrapLive string              // the same of the wrapper
	brief    bool                // only what changes was told
}

// Left is a process that outlived its job.
type Left struct {
	PID     int
	Command string
}

// Listing is the answer to [List].
type Listing struct {
	Clock
	Jobs map[string]*Entry
	live map[int][2]string // start and state of the processes that were looked at
}

// Lasting reports whether what e says of the job will do for [ListAgain]: it runs,
// and nobody has asked for its end.
func (e *Entry) Lasting() bool {
	return e.Ready && !e.Over && e.Job != nil && e.EndedBy == nil && e.Live == e.Job.Start && e.State != "Z"
}

// Fill completes the jobs of which [ListAgain] was given known. Whose process is
// not what it was gets no wrapper either, as with [List].
func (l *Listing) Fill(known map[string]*Entry) {
	for id, e := range l.Jobs {
		old := known[id]
		if !e.brief || old == nil {
			continue
		}
		full := *old
		full.Token = e.Token
		full.Sizes, full.Strange, full.Holes = e.Sizes, e.Strange, e.Holes
		full.Live, full.State, full.WrapLive = l.live[full.Job.PID][0], l.live[full.Job.PID][1], ""
		l.Jobs[id] = &full
	}
}

// ParseList reads the answer to [List].
func ParseList(out []byte) Listing {
	l := Listing{Jobs: map[string]*Entry{}}
	l.live = map[int][2]string{}
	p := listParser{l: &l, live: l.live}
	for line := range strings.Lines(string(out)) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	for _, e := range l.Jobs {
		if e.Job != nil {
			e.Live, e.State = p.live[e.Job.PID][0], p.live[e.Job.PID][1]
		}
		if e.Wrapper != nil {
			e.WrapLive = p.live[e.Wrapper.PID][0]
		}
	}
	return l
}

type listParser struct {
	l    *Listing
	at   *Entry
	tail bool // behind "end": what the system says of processes
	live map[int][2]string
}

func (p *listParser) line(s string) {
	if p.tail {
		p.fact(s)
		return
	}
	name, text, isFile := strings.Cut(s, ":")
	id, file, hasDir := strings.Cut(name, "/")
	word, rest, _ := strings.Cut(s, " ")
	switch {
	case s == "end":
		p.tail = true
	case strings.HasPrefix(s, "-"):
		p.fact(s) // of ls -ln
	case isFile && hasDir:
		if e := p.l.Jobs[id]; e != nil {
			e.file(file, text)
		}
	case word == "job":
		f := append(strings.Fields(rest), "", "", "")
		p.at = &Entry{
			ID: f[0], Gone: f[1] == "gone", Claimed: f[1] == "claim", Over: f[2] == "over", brief: f[1] == "known",
			Holes: map[string][2]int64{}, Sizes: map[string]int64{},
		}
		p.l.Jobs[f[0]] = p.at
	case p.at == nil:
		p.l.take(word, rest)
	case word == "ready":
		p.at.Ready = true
	case word == "strange":
		p.at.Strange = append(p.at.Strange, rest)
	}
}

// file takes a line of one of the job's files.
func (e *Entry) file(name, text string) {
	switch name {
	case "token":
		e.Token = text
	case "group": // no file: somebody is in it
		e.Group = true
	case "exit_code":
		// It is written in place, with a fixed width: anything shorter is not whole.
		if code, ok := jobdir.ParseExitCode([]byte(text + "\n")); ok && len(text) == codeWidth && code <= 255 {
			e.Code = &code
		}
	case "wrapper":
		e.Wrapper = parseProcess(text)
	case "pid":
		e.Job = parseProcess(text)
	case "started":
		e.Started = parseMoment(text)
	case "ended":
		e.Ended = parseMoment(text)
	case "ended_by":
		f := append(strings.Fields(text), "", "", "", "")
		e.EndedBy = &EndedBy{Reason: f[0], By: f[1]}
		e.EndedBy.Date, _ = strconv.ParseInt(f[2], 10, 64)
		e.EndedBy.Grace, _ = strconv.ParseInt(f[3], 10, 64)
	case "failed":
		e.Failed = text
	case "nolimit":
		e.NoLimit = true
	case "left":
		_, text, _ = strings.Cut(text, " ")
		pid, command, _ := strings.Cut(text, " ")
		if n, err := strconv.Atoi(pid); err == nil {
			e.Left = append(e.Left, Left{n, strings.TrimSpace(command)})
		}
	default:
		if log, ok := strings.CutPrefix(name, "hole."); ok {
			var hole [2]int64
			if n, _ := fmt.Sscan(text, &hole[0], &hole[1]); n == 2 && hole[0] < hole[1] {
				e.Holes[log] = hole
			}
		}
	}
}

const codeWidth = 3

func parseProcess(s string) *Process {
	f := strings.Fields(s)
	if len(f) < 3 {
		return nil
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid <= 1 {
		return nil
	}
	p := &Process{PID: pid, Start: f[1], Boot: f[2]}
	if len(f) > 3 {
		p.Mode = f[3]
	}
	return p
}

func parseMoment(s string) *Moment {
	date, up, _ := strings.Cut(s, " ")
	d, err := strconv.ParseInt(date, 10, 64)
	if err != nil {
		return nil
	}
	return &Moment{Date: d, Up: seconds(up)}
}

// fact reads a line of /proc/PID/stat behind its name, of ps, or of ls -ln.
func (p *listParser) fact(s string) {
	if rest, ok := strings.CutPrefix(s, "live "); ok {
		pid, start, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(pid); err == nil {
			p.live[n] = [2]string{start, ""}
		}
		return
	}
	if rest, ok := strings.CutPrefix(s, "/proc/"); ok {
		pid, stat, _ := strings.Cut(rest, "/stat:")
		i := strings.LastIndex(stat, ") ")
		n, err := strconv.Atoi(pid)
		if err != nil || i < 0 {
			return
		}
		if f := strings.Fields(stat[i+2:]); len(f) >= 20 {
			p.live[n] = [2]string{f[19], f[0]}
		}
		return
	}
	f := strings.Fields(s)
	if len(f) < 6 {
		return
	}
	id, log, ok := strings.Cut(f[len(f)-1], "/")
	size, err := strconv.ParseInt(f[4], 10, 64)
	if e := p.l.Jobs[id]; ok && err == nil && e != nil && s[0] == '-' {
		e.Sizes[log] = size
	}
}

// Spawned is the answer to [Spawn].
type Spawned struct {
	Dir   string // of the job, on the host
	OK    bool   // this request started it
	Mode  string
	Error string // home, newline, mkdir, taken, exists, write, mkfifo, start
	Text  string
	List  Listing
}

// ParseSpawn reads the answer to [Spawn].
func ParseSpawn(out []byte) Spawned {
	var s Spawned
	text := string(out)
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		switch word, arg, _ := strings.Cut(line, " "); word {
		case "dir":
			s.Dir = arg
		case "ERR":
			s.Error, s.Text, _ = strings.Cut(arg, " ")
		case "OK":
			s.OK, s.Mode = true, arg
			s.List = ParseList([]byte(text))
			return s
		}
	}
	if s.Error == "" {
		s.Error, s.Text = "answer", strings.TrimSpace(string(out))
	}
	return s
}

// Stopped is the answer to [Stop].
type Stopped struct {
	Killed string // the signal that it took: TERM or KILL
	Stuck  bool   // something survived even SIGKILL
	Why    string // nothing was signalled: nopid, reboot, reused, dead, badpid, posh
	Left   []Left
}

// ParseStop reads the answer to [Stop].
func ParseStop(out []byte) Stopped {
	var s Stopped
	for line := range strings.Lines(string(out)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "killed":
			s.Killed = rest
		case "stuck":
			s.Stuck = true
		case "no":
			s.Why = rest
		case "left":
			e := Entry{}
			e.file(word, strings.TrimSpace(line))
			s.Left = append(s.Left, e.Left...)
		}
	}
	return s
}

// BootOf is the boot in which the job was started; empty if that is not known.
func (e *Entry) BootOf() string {
	switch {
	case e.Job != nil:
		return e.Job.Boot
	case e.Wrapper != nil:
		return e.Wrapper.Boot
	}
	return ""
}
