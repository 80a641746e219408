package recipe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// Process is a process as a file of the job names it.
type Process struct {
	PID         int
	Start, Boot string
	Mode        string // how the job was started: setsid, monitor, perl, shared
}

// Entry is the content of a job directory on a host, and what the system there reports about its
// processes.
type Entry struct {
	jobdir.ShellFacts
	ID       string
	Gone     bool // the directory does not exist
	Claimed  bool // it was started, ever
	Held     bool // it was started with a holder, and only its logs and HeldState are known here
	Ready    bool // the job itself runs, or did
	Token    string
	Place    string // where it was started, as Clock has it; empty: unknown
	Over     bool   // it has an exit_code
	Wrapper  *Process
	Job      *Process
	NoLimit  bool
	Holes    map[string]record.Range // by log
	Sizes    map[string]int64        // by log
	Strange  []string                // logs that are no regular files
	Group    bool                    // the job's process group has members
	Live     string                  // start of the process that has the job's pid now
	State    string                  // its state letter, where known
	WrapLive string                  // the same of the wrapper
	// Number and Node are those of a cluster's scheduler, by which it was submitted at Submitted, in
	// seconds since 1970 by the host's clock.
	Number, Node string
	Submitted    int64
	// looks is how often the job was looked at since its directory and process were last verified.
	// An Entry is never modified once it has been handed out.
	looks int
	brief bool // only what changes was reported

	HeldState []byte // the state.json of a job with a holder; nil: there is none
}

// Listing is the answer to [List].
type Listing struct {
	Clock
	Jobs map[string]*Entry
	// Doubtful are jobs of which more than the sizes of their logs has changed, or may
	// have: they have to be asked for with [List]. They are not among Jobs.
	Doubtful []string
}

// Lasting reports whether [ListAgain] may take e as known, and request only what changes: the job
// runs, nothing has requested its end, and it has a log.
func (e *Entry) Lasting() bool {
	switch {
	case e.Over, e.EndedBy != nil:
		return false
	case len(e.Sizes)+len(e.Strange) == 0:
		return false
	}
	return e.Ready && e.Alive()
}

// IsOfAnother reports whether the directory is that of another job than the one with this token.
func (e *Entry) IsOfAnother(token string) bool { return e.Token != "" && e.Token != token }

// Begun reports whether the job or its wrapper has recorded its process.
func (e *Entry) Begun() bool { return e.Wrapper != nil || e.Job != nil }

// Alive reports whether the job's process exists and is no zombie.
func (e *Entry) Alive() bool { return e.Job.has(e.Live) && e.State != "Z" }

// WrapperAlive reports whether the wrapper's process exists.
func (e *Entry) WrapperAlive() bool { return e.Wrapper.has(e.WrapLive) }

// has reports whether p was recorded, and the process that has its pid now began at start.
func (p *Process) has(start string) bool { return p != nil && p.Start == start }

// split reports whether the job has two logs.
func (e *Entry) split() bool {
	return slices.ContainsFunc([]string{jobdir.StdoutFile, jobdir.StderrFile}, func(log string) bool {
		_, ok := e.Sizes[log]
		return ok || slices.Contains(e.Strange, log)
	})
}

// ParseList reads the answer to [List].
func ParseList(out []byte) Listing { return ParseListAgain(out, nil) }

// ParseListAgain reads the answer to [ListAgain] with the same known jobs.
func ParseListAgain(out []byte, known map[string]*Entry) Listing {
	p := listParser{l: Listing{Jobs: make(map[string]*Entry, len(known))}, live: map[int][2]string{}, doubts: map[int]bool{}}
	for id, before := range known {
		e := *before
		e.Token, e.Holes, e.Strange, e.Sizes, e.brief = "", nil, nil, make(map[string]int64, len(before.Sizes)), true
		p.l.Jobs[id] = &e
	}
	for line := range strings.Lines(string(out)) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	for id, e := range p.l.Jobs {
		if e.brief {
			p.fill(id, known[id])
			continue
		}
		if e.Job != nil {
			e.Live, e.State = p.live[e.Job.PID][0], p.live[e.Job.PID][1]
		}
		if e.Wrapper != nil {
			e.WrapLive = p.live[e.Wrapper.PID][0]
		}
	}
	slices.Sort(p.l.Doubtful)
	return p.l
}

// fill completes a brief listing of a job, which contains only what changes, from known.
func (p *listParser) fill(id string, known *Entry) {
	e := p.l.Jobs[id]
	live, seen := p.live[known.Job.PID]
	if e.Token != "" || seen || p.doubts[known.Job.PID] {
		e.Live, e.State, e.looks = live[0], live[1], 0
	} else {
		e.Token, e.Holes = known.Token, known.Holes
		e.looks++
	}
	e.brief = false
	if e.Token != known.Token || !e.Lasting() {
		delete(p.l.Jobs, id)
		p.l.Doubtful = append(p.l.Doubtful, id)
	}
}

type listParser struct {
	l      Listing
	at     *Entry            // nil: none was spoken of
	live   map[int][2]string // start and state of the processes that were looked at
	doubts map[int]bool      // processes that could not be seen to be there
}

func (p *listParser) line(s string) {
	name, text, isFile := strings.Cut(s, ":")
	id, file, hasDir := strings.Cut(name, "/")
	word, rest, _ := strings.Cut(s, " ")
	switch {
	case strings.HasPrefix(s, "/proc/"), strings.HasPrefix(s, "live "):
		p.process(s)
	case isMode(s):
		p.log(s)
	case isFile && hasDir:
		if e := p.l.Jobs[id]; e != nil {
			e.file(file, text)
		}
	case word == "job":
		f := append(strings.Fields(rest), "", "", "")
		p.at = &Entry{ID: f[0], Sizes: map[string]int64{}}
		p.at.Gone, p.at.Claimed, p.at.Held, p.at.Over = f[1] == "gone", f[1] == "claim", f[1] == "held", f[2] == "over"
		p.l.Jobs[f[0]] = p.at
	case word == "doubt":
		if pid, err := strconv.Atoi(rest); err == nil {
			p.doubts[pid] = true
		}
	case word == "ready" && p.at != nil:
		p.at.Ready = true
	default:
		p.l.take(word, rest)
	}
}

// file takes a line of one of the job's files.
func (e *Entry) file(name, text string) {
	if e.ParseLine(name, text) {
		return
	}
	switch name {
	case "token":
		e.Token = text
	case "place":
		e.Place = text
	case "group": // no file: the group has members
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
	case "nolimit":
		e.NoLimit = true
	case "slurm":
		number, at, _ := strings.Cut(text, " ")
		e.Number = strings.Trim(number, "-")
		e.Submitted, _ = strconv.ParseInt(at, 10, 64)
	case jobdir.StateFile:
		e.HeldState = []byte(text)
	case "node":
		e.Node = strings.Trim(text, "-")
	default:
		log, isHole := strings.CutPrefix(name, jobdir.ShellHolePrefix)
		if hole, ok := jobdir.ParseShellHole(text); isHole && ok {
			if e.Holes == nil {
				e.Holes = map[string]record.Range{}
			}
			e.Holes[log] = hole
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

// process reads a line of /proc/PID/stat behind its name, or of ps.
func (p *listParser) process(s string) {
	if rest, ok := strings.CutPrefix(s, "live "); ok {
		pid, start, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(pid); err == nil {
			p.live[n] = [2]string{start, ""}
		}
		return
	}
	rest, _ := strings.CutPrefix(s, "/proc/")
	pid, stat, _ := strings.Cut(rest, "/stat:")
	i := strings.LastIndex(stat, ") ")
	n, err := strconv.Atoi(pid)
	if err != nil || i < 0 {
		return
	}
	if state, start := nthWord(stat[i+2:], 0), nthWord(stat[i+2:], 19); start != "" {
		p.live[n] = [2]string{start, state}
	}
}

// isMode reports whether a line of ls -ln is what s is: no file of a job is named so.
func isMode(s string) bool {
	return len(s) > 10 && strings.Contains("-dlpscb", s[:1]) && strings.Trim(s[1:10], "rwxsStT-") == ""
}

// log reads a line of ls -ln about a log.
func (p *listParser) log(s string) {
	name, _, _ := strings.Cut(s, " -> ")
	id, log, ok := strings.Cut(name[strings.LastIndexByte(name, ' ')+1:], "/")
	e := p.l.Jobs[id]
	if !ok || e == nil {
		return
	}
	if s[0] != '-' {
		e.Strange = append(e.Strange, log)
	} else if size, err := strconv.ParseInt(nthWord(name, 4), 10, 64); err == nil {
		e.Sizes[log] = size
	}
}

// nthWord returns the nth field of s, counted from 0; empty if there are fewer.
func nthWord(s string, n int) string {
	for w := range strings.FieldsSeq(s) {
		if n == 0 {
			return w
		}
		n--
	}
	return ""
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

// Elsewhere reports whether the job runs on another machine than c is of: they have the
// job's files in common, but not its processes. The same machine may have been given
// another name since, or have been started again. Of two spaces of pids on one machine
// the older may have ended, as that of a container that is started again; with shared
// they are taken for two that live.
func (e *Entry) Elsewhere(c Clock, shared bool) bool {
	switch e.Place {
	case "", c.Place:
		return false
	}
	name, pids := cutLast(e.Place)
	nameThere, pidsThere := cutLast(c.Place)
	if boot := e.BootOf(); boot != "" && boot == c.Boot {
		switch {
		case pids == pidsThere:
			return false
		case shared:
			return true
		}
	}
	return name != nameThere
}

func cutLast(s string) (before, last string) {
	i := strings.LastIndexByte(s, ' ')
	return s[:max(0, i)], s[i+1:]
}
