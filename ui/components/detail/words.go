package detail

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// What a job's record calls a person with hob: at its command line, in its panes.
// Other names are those of programs.
const clientCLI, clientUI = "cli", "ui"

// Ending says in words how a job ended and why; empty while it has not.
func Ending(j engine.Job) string {
	exit, ok := j.Ended()
	if !ok {
		return ""
	}
	text := how(exit)
	switch exit.Reason {
	case engine.ReasonKill:
		text += ", stopped"
		switch exit.EndedBy {
		case "":
		case clientCLI:
			text += " from the command line"
		case clientUI:
			text += " from the panes"
		default:
			text += " by " + cells.Clean(exit.EndedBy)
		}
	case engine.ReasonTimeout:
		text += ", its time was over"
		if j.Timeout > 0 {
			text += " (" + units.DurationText(j.Timeout) + ")"
		}
	case engine.ReasonSpawn:
		text = "could not be started"
		if exit.Error != "" {
			text += ": " + cells.Clean(exit.Error)
		}
	case engine.ReasonHolderDied:
		text = "lost: what held it died; the output up to then is there"
	case engine.ReasonReboot:
		text = "lost: the machine restarted; the output up to then is there"
	case engine.ReasonExit, engine.ReasonSignal:
	}
	if exit.Core {
		text += ", core dumped"
	}
	return text
}

func how(e engine.Exit) string {
	switch {
	case e.Signal != "":
		text := "ended by " + e.Signal
		if word := signalWord(e.Signal); word != "" && e.Reason == engine.ReasonSignal {
			text += ": " + word
		}
		return text
	case e.Code == nil:
		return "ended, nobody knows with what code"
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
		return "nobody read its output"
	case "SIGTERM":
		return "asked to end"
	case "SIGXCPU":
		return "used up its processor time"
	}
	return ""
}

// CommandLine writes an argument vector as a person would type it: quoted for
// sh where that is needed.
func CommandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

func quote(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_./:=@%+,", r)
	}) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
