package jobdir

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

// byShell is the backend whose jobs a shell looks after. That shell writes plain files,
// before exit_code.
const byShell = "ssh"

const maxShellFile = 256 << 10

// PlaceFile names, in the directory that a job has on its host, the machine that runs it.
const PlaceFile = "place"

// HasWrapper reports whether dir is the directory of a job where its wrapper writes, and
// not only the record of one on a host.
func HasWrapper(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, PlaceFile))
	return err == nil
}

// ShellFacts are what the files say that a shell wrote about the job it looks after.
type ShellFacts struct {
	Code           *int // nil: there is none, or it cannot be read
	Started, Ended *ShellMoment
	Signaled       bool // a signal ended the job, as far as the shell reports it
	EndedBy        *ShellRequest
	Signal         ShellSent
	Failed         string // why it could not be started
	Left           []record.Process
}

// ShellMoment is a time on the machine of the job.
type ShellMoment struct {
	Date int64   // seconds since 1970
	Up   float64 // seconds since the boot; negative: unknown
}

// ShellRequest is a request to end the job.
type ShellRequest struct {
	Reason, By string
	Date       int64
	Grace      int64 // tenths of a second
}

// ShellSent is the last signal that was sent to a job by request.
type ShellSent struct{ Name, By string } // the name without SIG

// Take notes a line of one of the files. It reports whether the file is one of them.
func (f *ShellFacts) Take(file, line string) bool {
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

// Exit concludes how the job has ended, apart from when.
func (f *ShellFacts) Exit() record.Exit {
	end := record.Exit{Status: record.Exited, Reason: record.ReasonExit, Code: f.Code, Survivors: f.Left}
	if a, z := f.Started, f.Ended; a != nil && z != nil && a.Up >= 0 && z.Up >= a.Up {
		end.Ran = record.InMilliseconds(time.Duration((z.Up - a.Up) * float64(time.Second)))
	}
	switch {
	case f.EndedBy != nil:
		end.Status, end.Reason, end.EndedBy = record.Killed, record.Reason(f.EndedBy.Reason), f.EndedBy.By
		end.Signal = shellSignal(f.Code)
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

// concludeShell fills in how a job ended that a shell looked after, where no program
// has recorded more than the exit code. Its directory is on the machine that it ran on.
func (r *Record) concludeShell(dir string) {
	if r.Code == nil || r.State.Exit.Known() || r.Meta.Backend != byShell {
		return
	}
	facts := ShellFacts{Code: r.Code}
	for _, name := range []string{"started", "ended", "ended_by", "failed", "signalled", "left"} {
		data, err := plainfile.Read(inDir(dir, name), maxShellFile)
		if err != nil {
			r.unread(name, err)
			continue
		}
		for line := range strings.Lines(string(data)) {
			facts.Take(name, strings.TrimSuffix(line, "\n"))
			if name != "left" {
				break
			}
		}
	}
	end := facts.Exit()
	if m := facts.Started; m != nil && m.Date > 0 && r.State.StartedAt.IsZero() {
		r.State.StartedAt = time.Unix(m.Date, 0)
	}
	end.At = r.Touched
	if m := facts.Ended; m != nil && m.Date > 0 {
		end.At = time.Unix(m.Date, 0)
	}
	if end.At.Before(r.State.StartedAt) {
		end.At = r.State.StartedAt
	}
	r.State.Exit = end
}

// shellSignal is the signal that a shell tells as an exit code, by name, of those
// whose numbers are the same everywhere; empty: code is none of them.
func shellSignal(code *int) string {
	if code == nil {
		return ""
	}
	switch *code - 128 {
	case 1:
		return "SIGHUP"
	case 2:
		return "SIGINT"
	case 3:
		return "SIGQUIT"
	case 4:
		return "SIGILL"
	case 6:
		return "SIGABRT"
	case 8:
		return "SIGFPE"
	case 9:
		return "SIGKILL"
	case 11:
		return "SIGSEGV"
	case 13:
		return "SIGPIPE"
	case 14:
		return "SIGALRM"
	case 15:
		return "SIGTERM"
	}
	return ""
}

// killed reports whether a signal ended the job, and which; empty where that is not known.
// A shell returns the same code for an exit with 128 + n as for signal n, so the code alone
// proves nothing.
func (f *ShellFacts) killed() (signal string, killed bool) {
	signal = shellSignal(f.Code)
	sent := f.Signal.Name
	if signal == "" && f.Signaled && sent != "" { // its number differs between systems
		signal = "SIG" + sent
	}
	return signal, f.Signaled || sent != "" && signal == "SIG"+sent
}
