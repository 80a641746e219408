package jobdir

import (
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

// byShell is the backend whose jobs a shell looks after. That shell writes plain files,
// before exit_code.
const byShell = "ssh"

// ShellSignaled is what a shell adds to the line of a job's end if it reports that a signal
// ended the job.
const ShellSignaled = " signal"

const maxShellFile = 256 << 10

// concludeShell fills in how a job ended that a shell looked after, where no program
// has recorded more than the exit code. Its directory is on the machine that it ran on.
func (r *Record) concludeShell(dir string) {
	if r.Code == nil || r.State.Exit.Known() || r.Meta.Backend != byShell {
		return
	}
	line := func(name string) string {
		data, err := plainfile.Read(inDir(dir, name), maxShellFile)
		if err != nil {
			r.unread(name, err)
			return ""
		}
		first, _, _ := strings.Cut(string(data), "\n")
		return first
	}
	end := record.Exit{Status: "exited", Reason: "exit", Code: r.Code, At: r.Touched}
	started, from, hasFrom := shellMoment(line("started"))
	moment, signaled := strings.CutSuffix(line("ended"), ShellSignaled)
	ended, to, hasTo := shellMoment(moment)
	if r.State.StartedAt.IsZero() {
		r.State.StartedAt = started
	}
	if !ended.IsZero() {
		end.At = ended
	}
	if end.At.Before(r.State.StartedAt) {
		end.At = r.State.StartedAt
	}
	if hasFrom && hasTo && to >= from {
		end.Ran = record.InMilliseconds(to - from)
	}
	asked := strings.Fields(line("ended_by"))
	failed := line("failed")
	switch {
	case len(asked) >= 2:
		end.Status, end.Reason, end.EndedBy, end.Signal = "killed", record.Reason(asked[0]), asked[1], ShellSignal(r.Code)
	case failed != "":
		end.Status, end.Reason, end.Error = "failed", "spawn", failed
	default:
		sent, by, _ := strings.Cut(line("signalled"), " ")
		if signal, killed := ShellKilled(r.Code, signaled, sent); killed {
			end.Status, end.Reason, end.Signal = "killed", "signal", signal
			if signal == "SIG"+sent {
				end.EndedBy = by
			}
		}
	}
	end.Survivors = r.shellLeft(dir)
	r.State.Exit = end
}

// shellMoment reads a date in seconds and the time since the boot; known says whether
// the latter is there.
func shellMoment(s string) (date time.Time, up time.Duration, known bool) {
	first, second, _ := strings.Cut(s, " ")
	if seconds, err := strconv.ParseInt(first, 10, 64); err == nil && seconds > 0 {
		date = time.Unix(seconds, 0)
	}
	seconds, err := strconv.ParseFloat(second, 64)
	return date, time.Duration(seconds * float64(time.Second)), err == nil && seconds >= 0
}

// shellLeft are the processes that outlived the job.
func (r *Record) shellLeft(dir string) []record.Process {
	data, err := plainfile.Read(inDir(dir, "left"), maxShellFile)
	if err != nil {
		r.unread("left", err)
		return nil
	}
	var left []record.Process
	for line := range strings.Lines(string(data)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		number, command, _ := strings.Cut(rest, " ")
		if pid, err := strconv.Atoi(number); word == "left" && err == nil {
			left = append(left, record.Process{PID: pid, Command: strings.TrimSpace(command)})
		}
	}
	return left
}
