// Package ending describes how jobs ended.
package ending

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/units"
)

// The clients of hob that the user works with, as the record of an end names them. Other
// names are those of programs.
const clientCLI, clientUI = "cli", "ui"

// schedulerSlurm is the name of Slurm where it has ended a job by itself.
const schedulerSlurm = "slurm"

// Of describes, for the middle of a sentence, how a job ended and why, as in
// "exited 127 (command not found)". It is empty while the job has not ended. It contains
// text of the job and of other programs as it came: clean or escape it.
func Of(r *record.Request, s *record.State) string {
	if !s.Status.Finished() {
		return ""
	}
	exit, text := &s.Exit, ""
	switch exit.Reason {
	case record.ReasonKill:
		text = "stopped"
		if by := senderOf(exit); by != "" {
			text += " by " + by
		}
		if s.StartedAt.IsZero() && Outcome(exit) == "" {
			text += " before it started"
		}
		text += Bracketed(Outcome(exit))
	case record.ReasonTimeout:
		text = "timed out"
		switch {
		case exit.EndedBy == schedulerSlurm:
			text += " at the time limit of Slurm"
		case r.Timeout > 0:
			text += " after " + units.DurationText(r.Timeout.Duration())
		}
		text += Bracketed(Outcome(exit))
	case record.ReasonUnhealthy:
		text = "unhealthy" + Bracketed(exit.Error)
	case record.ReasonSpawn:
		text = "could not be started"
		if exit.Error != "" {
			text += ": " + exit.Error
		}
	case record.ReasonDependency:
		text = "was not started: " + cmp.Or(exit.Error, "a job that it had to follow was not successful")
	case record.ReasonOOM:
		text = "out of memory" + Bracketed(Outcome(exit))
	case record.ReasonPreempted:
		text = "preempted: its scheduler needed the resources for another job"
	case record.ReasonNodeFailed:
		text = "lost: its node failed" + kept(s)
	case record.ReasonHolderDied:
		text = "lost: " + cmp.Or(exit.Error, "its supervisor process died"+kept(s))
	case record.ReasonReboot:
		text = "lost: the machine restarted" + kept(s)
	default: // the job itself, or a reason that is not known
		text = Outcome(exit)
		switch by := senderOf(exit); {
		case exit.Status == record.Lost:
			text = "lost" + kept(s)
		case exit.Signal != "" && by != "":
			text = "killed by " + text + ", sent by " + by
		case exit.Signal != "":
			text = "killed by " + text + Bracketed(meaning(exit))
		case exit.Status == record.Failed && exit.Error != "": // a virtual execution
			text = "failed: " + exit.Error
		case text != "":
			text += Bracketed(meaning(exit))
		case exit.Status == record.Failed:
			text = "failed"
		default:
			text = "ended, exit code unknown"
		}
	}
	if exit.Core {
		text += ", core dumped"
	}
	return text
}

// Why describes the same for a row of a list that shows the outcome beside it, as in "after 10m" of a
// timeout; empty if the records have no more than that outcome.
func Why(r *record.Request, s *record.State) string {
	exit := &s.Exit
	switch exit.Reason {
	case record.ReasonKill:
		if by := senderOf(exit); by != "" {
			return "by " + by
		}
		return ""
	case record.ReasonTimeout:
		if exit.EndedBy != schedulerSlurm && r.Timeout > 0 {
			return "after " + units.DurationText(r.Timeout.Duration())
		}
		return "time limit of Slurm"
	case record.ReasonSpawn, record.ReasonDependency, record.ReasonUnhealthy:
		return exit.Error
	case record.ReasonOOM:
		return "out of memory"
	case record.ReasonHolderDied, record.ReasonReboot, record.ReasonNodeFailed, record.ReasonPreempted:
		_, why, _ := strings.Cut(Of(r, s), ": ")
		return why
	case record.ReasonExit, record.ReasonSignal:
	}
	killed := exit.Signal == "SIGKILL" || hasKillCode(exit)
	switch by := senderOf(exit); {
	case by != "":
		return "sent by " + by
	case killed && exit.OOMKills > 0:
		return "out of memory"
	case exit.Status == record.Failed:
		return exit.Error
	case killed:
		return "out of memory?"
	}
	return meaning(exit)
}

// kept returns what follows the reason of a lost job: some of its processes are alive, or it has output,
// unless it was lost in a queue.
func kept(s *record.State) string {
	switch n := len(s.Exit.Survivors); {
	case n == 1:
		return "; one of its processes still runs"
	case n > 1:
		return "; " + strconv.Itoa(n) + " of its processes still run"
	case s.StartedAt.IsZero():
		return ""
	}
	return "; output until then is kept"
}

// Bracketed returns text in brackets after a space; "" for an empty text.
func Bracketed(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// senderOf returns the client or limit that requested an end, as the object of "by"; "" if there is
// none.
func senderOf(e *record.Exit) string {
	switch e.EndedBy {
	case clientCLI, clientUI:
		return "you"
	case schedulerSlurm:
		return "Slurm"
	}
	return e.EndedBy
}

// Outcome is the signal or the code of an end; "" if neither is known.
func Outcome(e *record.Exit) string {
	switch {
	case e.Signal != "":
		return e.Signal
	case e.Code == nil:
		return ""
	}
	return "exited " + strconv.Itoa(*e.Code)
}

// meaning explains what a signal or a code usually means.
func meaning(e *record.Exit) string {
	switch {
	case e.Signal == "SIGKILL" && e.OOMKills > 0:
		return "out of memory"
	case e.Signal != "":
		return SignalWord(e.Signal)
	case e.Code == nil:
		return ""
	case hasKillCode(e) && e.OOMKills > 0:
		return "killed: out of memory"
	}
	return codeWord(*e.Code)
}

// hasKillCode reports whether a shell gives the exit code of a program that SIGKILL has ended.
func hasKillCode(e *record.Exit) bool { return e.Code != nil && *e.Code == 137 }

// codeWords are what shells mean by some codes.
var codeWords = [...]struct {
	code int
	word string
}{
	{126, "command not executable"}, {127, "command not found"}, {130, "interrupted"},
	{137, "killed: out of memory?"}, {139, "invalid memory access"}, {143, "terminated"},
}

func codeWord(code int) string {
	for _, c := range codeWords {
		if c.code == code {
			return c.word
		}
	}
	return ""
}

// signalWords are what signals usually mean.
var signalWords = [...]struct{ name, word string }{
	{"SIGHUP", "terminal closed"}, {"SIGINT", "interrupted"}, {"SIGQUIT", "aborted"}, {"SIGABRT", "aborted"},
	{"SIGKILL", "not by hob: out of memory?"}, {"SIGSEGV", "invalid memory access"}, {"SIGBUS", "invalid memory access"},
	{"SIGILL", "invalid instruction"}, {"SIGFPE", "arithmetic error"}, {"SIGPIPE", "its output was closed"},
	{"SIGTERM", "terminated"}, {"SIGXCPU", "CPU time limit"}, {"SIGXFSZ", "file size limit"},
}

// SignalWord explains what a signal usually means.
func SignalWord(name string) string {
	for _, s := range signalWords {
		if s.name == name {
			return s.word
		}
	}
	return ""
}
