package jobdir

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

// sshBackend is the backend whose jobs are run by a wrapper, a shell script on the host.
// The wrapper writes plain files, the last of which is exit_code.
const sshBackend = "ssh"

const maxShellFile = 256 << 10

// PlaceFile is the file that identifies the machine that runs the job, in the job's
// directory on its host.
const PlaceFile = "place"

// HasWrapper reports whether dir is the directory that a job's wrapper writes to, as
// opposed to the client's copy of the records.
func HasWrapper(dir string) bool { return has(dir, PlaceFile) }

// ShellFacts is the content of the files that a wrapper writes.
type ShellFacts struct {
	Code           *int // nil: missing or invalid
	Started, Ended *ShellMoment
	Signaled       bool // a signal ended the job, as far as the shell reports it
	EndedBy        *ShellRequest
	Signal         ShellSignal
	Failed         string           // why the job could not be started
	Left           []record.Process // survivors
	OOMKills       int              // processes that the kernel killed because memory ran out
}

// ShellMoment is a time by the clocks of the job's machine.
type ShellMoment struct {
	Date int64   // seconds since 1970
	Up   float64 // seconds since boot; negative: unknown
}

// time returns the moment by the wall clock, zero if it is unknown.
func (m *ShellMoment) time() time.Time {
	if m == nil || m.Date <= 0 {
		return time.Time{}
	}
	return time.Unix(m.Date, 0)
}

// ShellRequest is a request to end the job.
type ShellRequest struct {
	Reason, By string
	Date       int64
	Grace      int64 // tenths of a second
}

// ShellSignal is the last signal that a client sent to the job. Name has no SIG prefix.
type ShellSignal struct{ Name, By string }

// ParseLine parses a line of file. It reports whether file is one of the wrapper's files.
func (f *ShellFacts) ParseLine(file, line string) bool {
	switch file {
	case "started":
		f.Started = shellMoment(line)
	case "ended":
		line, f.Signaled = strings.CutSuffix(line, " signal")
		f.Ended = shellMoment(line)
	case "ended_by":
		if words := append(strings.Fields(line), "", ""); len(words) >= 4 {
			f.EndedBy = &ShellRequest{Reason: words[0], By: words[1]}
			f.EndedBy.Date, _ = strconv.ParseInt(words[2], 10, 64)
			f.EndedBy.Grace, _ = strconv.ParseInt(words[3], 10, 64)
		}
	case "signalled":
		f.Signal.Name, f.Signal.By, _ = strings.Cut(line, " ")
	case "failed":
		f.Failed = line
	case "ooms":
		f.OOMKills, _ = strconv.Atoi(line)
	case "left":
		word, rest, _ := strings.Cut(line, " ")
		number, command, _ := strings.Cut(rest, " ")
		if pid, err := strconv.Atoi(number); word == "left" && err == nil {
			f.Left = append(f.Left, record.Process{PID: pid, Command: strings.TrimSpace(command)})
		}
	default:
		return false
	}
	return true
}

func shellMoment(s string) *ShellMoment {
	first, second, _ := strings.Cut(s, " ")
	date, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return nil
	}
	m := &ShellMoment{Date: date, Up: -1}
	if up, err := strconv.ParseFloat(second, 64); err == nil {
		m.Up = up
	}
	return m
}

// ran returns how long the job ran, 0 if that is unknown.
func (f *ShellFacts) ran() time.Duration {
	if f.Started == nil || f.Ended == nil {
		return 0
	}
	from, to := f.Started.Up, f.Ended.Up
	if from < 0 || to < from {
		return 0
	}
	return time.Duration((to - from) * float64(time.Second))
}

// Exit returns how the job ended, without the time.
func (f *ShellFacts) Exit() record.Exit {
	end := record.Exit{
		Status:    record.Exited,
		Reason:    record.ReasonExit,
		Code:      f.Code,
		Survivors: f.Left,
		OOMKills:  f.OOMKills,
	}
	end.Ran = record.InMilliseconds(f.ran())
	switch {
	case f.EndedBy != nil:
		end.Status, end.Reason, end.EndedBy = record.Killed, record.Reason(f.EndedBy.Reason), f.EndedBy.By
		end.Signal = signalOfCode(f.Code)
	case f.Failed != "":
		end.Status, end.Reason, end.Error = record.Failed, record.ReasonSpawn, f.Failed
	case f.Code == nil:
		end.Error = "its exit code cannot be read"
	default:
		if signal, killed := f.killed(); killed {
			end.Status, end.Reason, end.Signal = record.Killed, record.ReasonSignal, signal
			if signal == "SIG"+f.Signal.Name {
				end.EndedBy = f.Signal.By
			}
		}
	}
	return end
}

// addShellExit derives the end of a job from its wrapper's files if no client has recorded
// it. It applies to a directory on the machine that ran the job.
func (r *Record) addShellExit(dir string) {
	if r.Code == nil || r.State.Exit.Known() || r.Meta.Backend != sshBackend {
		return
	}
	facts := ShellFacts{Code: r.Code}
	for _, name := range []string{"started", "ended", "ended_by", "failed", "signalled", "left", "ooms"} {
		data, err := plainfile.Read(inDir(dir, name), maxShellFile)
		if err != nil {
			r.noteReadError(name, err)
			continue
		}
		for line := range strings.Lines(string(data)) {
			facts.ParseLine(name, strings.TrimSuffix(line, "\n"))
			if name != "left" {
				break
			}
		}
	}
	end := facts.Exit()
	if r.State.StartedAt.IsZero() {
		r.State.StartedAt = facts.Started.time()
	}
	if end.At = facts.Ended.time(); end.At.IsZero() {
		end.At = r.Touched
	}
	if end.At.Before(r.State.StartedAt) {
		end.At = r.State.StartedAt
	}
	r.State.Exit, r.Derived = end, true
	r.State.Dropped = 0
	for _, log := range []string{OutputFile, StdoutFile, StderrFile} {
		data, err := plainfile.Read(inDir(dir, ShellHolePrefix+log), maxShellFile)
		if err != nil {
			r.noteReadError(ShellHolePrefix+log, err)
			continue
		}
		hole, _ := ParseShellHole(string(data))
		r.State.Dropped += hole.End - hole.Start
	}
}

// ShellHolePrefix precedes the name of a log in the name of the file that records the log's hole.
const ShellHolePrefix = "hole."

// ParseShellHole parses the range of a log that the limit has freed, as the wrapper records it.
func ParseShellHole(text string) (hole record.Range, ok bool) {
	n, _ := fmt.Sscan(text, &hole.Start, &hole.End)
	if n != 2 || hole.Start >= hole.End {
		return record.Range{}, false
	}
	return hole, true
}

// portableSignals are the signals with the same number on all systems.
var portableSignals = [...]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL",
	11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
}

// signalOfCode returns the name of the signal that a shell reports as the exit code 128 + n.
// It is empty for other codes, and for signals whose numbers differ between systems.
func signalOfCode(code *int) string {
	if code == nil {
		return ""
	}
	n := *code - 128
	if n < 1 || n >= len(portableSignals) {
		return ""
	}
	return portableSignals[n]
}

// killed reports whether a signal ended the job, and its name if known. The code alone
// proves nothing, because a job can also exit with 128 + n.
func (f *ShellFacts) killed() (signal string, killed bool) {
	signal = signalOfCode(f.Code)
	sent := f.Signal.Name
	switch {
	case !f.Signaled:
		return signal, signal == "SIG"+sent
	case signal == "" && sent != "": // its number differs between systems
		return "SIG" + sent, true
	}
	return signal, true
}
