package engine

import (
	"strconv"

	"github.com/hobjobs/hob/internal/units"
)

// The clients of hob that the user works with, as the record of an end names them. Other
// names are those of programs.
const clientCLI, clientUI = "cli", "ui"

// Ending describes, for the middle of a sentence, how the job ended and why, as in
// "exited 127 (command not found)". It is empty while the job has not ended. It contains
// text of the job and of other programs as it came: clean or escape it.
func (j Job) Ending() string {
	exit, ok := j.Ended()
	if !ok {
		return ""
	}
	text := ""
	switch exit.Reason {
	case ReasonKill:
		by := exit.EndedBy
		if by == clientCLI || by == clientUI {
			by = "you"
		}
		text = "stopped"
		if by != "" {
			text += " by " + by
		}
		switch {
		case exit.Code != nil || exit.Signal != "":
			text += bracketed(outcome(exit))
		case j.StartedAt.IsZero():
			text += " before it started"
		}
	case ReasonTimeout:
		text = "timed out"
		if j.Timeout > 0 {
			text += " after " + units.DurationText(j.Timeout.Duration())
		}
		text += bracketed(outcome(exit))
	case ReasonSpawn:
		text = "could not be started"
		if exit.Error != "" {
			text += ": " + exit.Error
		}
	case ReasonDependency:
		text = "was not started: " + exit.Error
	case ReasonOOM:
		text = "out of memory" + bracketed(outcome(exit))
	case ReasonPreempted:
		text = "preempted: its scheduler needed its place for another job"
	case ReasonNodeFailed:
		text = "lost: its node failed; output until then is kept"
	case ReasonHolderDied:
		text = "lost: its supervisor process died; output until then is kept"
	case ReasonReboot:
		text = "lost: the machine restarted; output until then is kept"
	case ReasonExit, ReasonSignal:
		text = outcome(exit)
		if exit.Signal != "" {
			text = "killed by " + text
		}
		text += bracketed(meaning(exit))
	}
	if exit.Core {
		text += ", core dumped"
	}
	return text
}

func bracketed(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// outcome is the signal or the code of an end.
func outcome(e Exit) string {
	switch {
	case e.Signal != "":
		return e.Signal
	case e.Code == nil:
		return "exited, code unknown"
	}
	return "exited " + strconv.Itoa(*e.Code)
}

// meaning explains what a signal or a code usually means.
func meaning(e Exit) string {
	switch {
	case e.Signal == "SIGKILL" && e.OOMKills > 0:
		return "out of memory"
	case e.Signal != "":
		return signalWord(e.Signal)
	case e.Code != nil:
		return codeWord(*e.Code)
	}
	return ""
}

// codeWord explains codes that shells give a meaning.
func codeWord(code int) string {
	switch code {
	case 126:
		return "command not executable"
	case 127:
		return "command not found"
	case 130:
		return "interrupted"
	case 137:
		return "killed: out of memory?"
	case 139:
		return "invalid memory access"
	case 143:
		return "terminated"
	}
	return ""
}

func signalWord(name string) string {
	switch name {
	case "SIGHUP":
		return "terminal closed"
	case "SIGINT":
		return "interrupted"
	case "SIGQUIT", "SIGABRT":
		return "aborted"
	case "SIGKILL":
		return "not by hob: out of memory?"
	case "SIGSEGV", "SIGBUS":
		return "invalid memory access"
	case "SIGILL":
		return "invalid instruction"
	case "SIGFPE":
		return "arithmetic error"
	case "SIGPIPE":
		return "its output was closed"
	case "SIGTERM":
		return "terminated"
	case "SIGXCPU":
		return "CPU time limit"
	}
	return ""
}
