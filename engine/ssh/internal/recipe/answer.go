package recipe

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// Host is the answer to [Hello].
type Host struct {
	Base string // empty: no HOME there, and no place for temporary files
	// Spare: HOME does not exist, and Base is a private directory for temporary files.
	Spare bool
	// Unsafe is the element of Base's path that other users control, and how; empty: there is none.
	Unsafe string
	Clock
	System string
	User   string
	Tools  []string
	Proc   bool // it has a /proc
	Posh   bool // a shell whose kill signals the wrong processes
	Programs
	Swept int64 // when a sweep of the owner's jobs was last done, by the host's date; 0: never
}

// Clock is the host's clocks at the moment of an answer.
type Clock struct {
	Boot string  // names the boot; "-": unknown
	Up   float64 // seconds; negative: unknown
	Date int64   // seconds since 1970
	// Place is which machine it is and how processes are counted there: machine id,
	// name and space of pids, "-" for what is unknown.
	Place string
}

func (c *Clock) take(word, rest string) {
	switch word {
	case "boot":
		boot, up, _ := strings.Cut(rest, " ")
		c.Boot = boot
		c.Up = seconds(up)
	case "date":
		c.Date, _ = strconv.ParseInt(rest, 10, 64)
	case "place":
		c.Place = rest
	}
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
		switch word {
		case "base":
			h.Base = rest
		case "spare":
			h.Spare = true
		case "unsafe":
			h.Unsafe = rest
		case "system":
			h.System = rest
		case "user":
			h.User = rest
		case "tools":
			h.Tools = strings.Fields(rest)
		case "proc":
			h.Proc = true
		case "posh":
			h.Posh = true
		case "swept":
			h.Swept, _ = strconv.ParseInt(rest, 10, 64)
		default:
			h.Clock.take(word, rest)
			h.Programs.take(word, rest)
		}
	}
	return h
}

// Spawned is the answer to [Spawn].
type Spawned struct {
	Dir   string // of the job, on the host
	OK    bool   // this request started it
	Mode  string
	Error string // home, newline, unsafe, mkdir, taken, replaced, exists, write, mkfifo, start, slurm, doubt
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
	Left   []record.Process
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
			f := jobdir.ShellFacts{Left: s.Left}
			f.ParseLine(word, strings.TrimSpace(line))
			s.Left = f.Left
		}
	}
	return s
}

// ParseFiles reads the answer to [Known] and [Records]: the first line of each file, by
// the name of the job's directory and that of the file.
func ParseFiles(out []byte) map[string]map[string]string {
	jobs := map[string]map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		id, file, hasDir := strings.Cut(name, "/")
		if !ok || !hasDir {
			continue
		}
		if jobs[id] == nil {
			jobs[id] = map[string]string{}
		}
		if _, later := jobs[id][file]; !later {
			jobs[id][file] = text
		}
	}
	return jobs
}
