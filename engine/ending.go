package engine

import (
	"cmp"
	"strconv"

	"github.com/hobjobs/hob/internal/units"
)

// The clients of hob that the user works with, as the record of an end names them. Other
// names are those of programs.
const clientCLI, clientUI = "cli", "ui"

// schedulerSlurm is the name of Slurm where it has ended a job by itself.
const schedulerSlurm = "slurm"

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
		text = "stopped"
		if by := senderOf(exit); by != "" {
			text += " by " + by
		}
		if j.StartedAt.IsZero() && outcome(exit) == "" {
			text += " before it started"
		}
		text += bracketed(outcome(exit))
	case ReasonTimeout:
		text = "timed out"
		switch {
		case exit.EndedBy == schedulerSlurm:
			text += " at the time limit of Slurm"
		case j.Timeout > 0:
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
		text = "preempted: its scheduler needed the resources for another job"
	case ReasonNodeFailed:
		text = "lost: its node failed; output until then is kept"
	case ReasonHolderDied:
		text = "lost: " + cmp.Or(exit.Error, "its supervisor process died; output until then is kept")
	case ReasonReboot:
		text = "lost: the machine restarted; output until then is kept"
	case ReasonExit, ReasonSignal:
		text = outcome(exit)
		switch by := senderOf(exit); {
		case exit.Signal != "" && by != "":
			text = "killed by " + text + ", sent by " + by
		case exit.Signal != "":
			text = "killed by " + text + bracketed(meaning(exit))
		case exit.Status == Failed && exit.Error != "": // a virtual execution
			text = "failed: " + exit.Error
		case text == "":
			text = "ended, exit code unknown"
		default:
			text += bracketed(meaning(exit))
		}
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

// senderOf returns the client or limit that requested an end, as the object of "by"; "" if there is
// none.
func senderOf(e Exit) string {
	switch e.EndedBy {
	case clientCLI, clientUI:
		return "you"
	case schedulerSlurm:
		return "Slurm"
	}
	return e.EndedBy
}

// outcome is the signal or the code of an end; "" if neither is known.
func outcome(e Exit) string {
	switch {
	case e.Signal != "":
		return e.Signal
	case e.Code == nil:
		return ""
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
	case "SIGXFSZ":
		return "file size limit"
	}
	return ""
}
