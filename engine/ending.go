package engine

import (
	"strconv"

	"github.com/hobjobs/hob/internal/units"
)

// The clients of hob that a person uses, as the record of an end names them. Other
// names are those of programs.
const clientCLI, clientUI = "cli", "ui"

// Ending explains in words, for the middle of a sentence, how the job ended and why, as
// in "exit code 127: a command was not found". It is empty while the job has not ended.
// Words of the job and of other programs are in it as they came: clean or escape them.
func (j Job) Ending() string {
	exit, ok := j.Ended()
	if !ok {
		return ""
	}
	text := outcomeOf(exit)
	switch exit.Reason {
	case ReasonKill:
		text += ", stopped"
		switch exit.EndedBy {
		case "":
		case clientCLI:
			text += " from the command line"
		case clientUI:
			text += " from the panes"
		default:
			text += " by " + exit.EndedBy
		}
	case ReasonTimeout:
		text += ", its time was over"
		if j.Timeout > 0 {
			text += " (" + units.DurationText(j.Timeout.Duration()) + ")"
		}
	case ReasonSpawn:
		text = "could not be started"
		if exit.Error != "" {
			text += ": " + exit.Error
		}
	case ReasonHolderDied:
		text = "lost: its holder died; the output up to then is there"
	case ReasonReboot:
		text = "lost: the machine restarted; the output up to then is there"
	case ReasonExit, ReasonSignal:
	}
	if exit.Core {
		text += ", core dumped"
	}
	return text
}

// outcomeOf is the code or signal of an end, and what it usually stands for.
func outcomeOf(e Exit) string {
	switch {
	case e.Signal != "":
		text := "ended by " + e.Signal
		if word := signalWord(e.Signal); word != "" && e.Reason == ReasonSignal {
			text += ": " + word
		}
		return text
	case e.Code == nil:
		return "ended, its exit code is not known"
	case *e.Code == 0:
		return "exit code 0: success"
	}
	text := "exit code " + strconv.Itoa(*e.Code)
	if word := codeWord(*e.Code); word != "" {
		text += ": " + word
	}
	return text
}

// codeWord explains codes that shells give a meaning.
func codeWord(code int) string {
	switch code {
	case 126:
		return "a command could not be executed"
	case 127:
		return "a command was not found"
	case 130:
		return "interrupted"
	case 137:
		return "killed, perhaps for want of memory"
	case 139:
		return "invalid memory access"
	case 143:
		return "asked to end"
	}
	return ""
}

func signalWord(name string) string {
	switch name {
	case "SIGHUP":
		return "its terminal hung up"
	case "SIGINT":
		return "interrupted"
	case "SIGQUIT", "SIGABRT":
		return "it gave up"
	case "SIGKILL":
		return "killed from outside, perhaps for want of memory"
	case "SIGSEGV", "SIGBUS":
		return "invalid memory access"
	case "SIGILL":
		return "invalid instruction"
	case "SIGFPE":
		return "invalid arithmetic"
	case "SIGPIPE":
		return "its output had no reader"
	case "SIGTERM":
		return "asked to end"
	case "SIGXCPU":
		return "used up its processor time"
	}
	return ""
}
