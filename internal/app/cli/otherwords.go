package cli

import (
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/shellword"
)

// Users type the commands and flags of other tools that they know. hob then does nothing, but prints its own
// command or flag as a hint.

// otherWord returns the command of hob that does what this command does in other tools; "" if it is unknown.
// ID, CMD, DATA, HOST and PORT are placeholders for the arguments.
func otherWord(word string) string {
	switch word {
	case "start", "launch", "spawn", "exec", "new":
		return "hob run CMD; to run a job again: hob restart NAME"
	case "bg", "background", "nohup", "disown", "detach", "daemonize":
		return "hob run -b CMD; for a job on the screen: Ctrl+B"
	case "add", "enqueue", "submit", "schedule":
		return "hob run --queue CMD"
	case "rerun", "retry", "again", "redo", "reload":
		return "hob restart ID"
	case "prune", "clean", "cleanup", "purge", "gc":
		return "hob clear --finished"
	case "tail", "follow":
		return "hob log --follow ID"
	case "watch", "monitor":
		return "hob log --follow ID, or hob for all jobs"
	case "cat", "output", "print", "view", "less":
		return "hob log ID"
	case "grep", "search":
		return "hob log --filter REGEX ID"
	case "show", "info", "inspect", "describe", "details", "stat", "get":
		return "hob status ID"
	case "jobs", "history", "all", "running", "finished", "dir":
		return "hob list"
	case "top", "htop", "ui", "tui", "dashboard", "open", "menu":
		return "hob; without a command, it opens the job list"
	case "fg", "foreground", "connect", "join", "enter":
		return "hob attach ID"
	case "send", "input", "type", "echo", "paste", "send-keys":
		return "hob write --enter ID DATA"
	case "delete", "del":
		return "hob remove ID"
	case "end", "terminate", "quit", "cancel", "killall", "pkill", "abort", "shutdown":
		return "hob kill ID"
	case "signal":
		return "hob kill --signal NAME ID"
	case "pause", "suspend":
		return "hob kill --signal STOP ID"
	case "resume", "continue", "unpause":
		return "hob kill --signal CONT ID"
	case "resurrect", "recover", "reboot":
		return "hob revive"
	case "undo", "restore", "undelete":
		return "hob clear --undo; jobs that a reboot ended: hob revive"
	case "port", "ports", "lsof":
		return "hob who :PORT; the ports of a job: hob status NAME"
	case "ssh", "remote":
		return "hob run --on HOST CMD"
	case "host", "machines", "servers":
		return "hob hosts"
	case "agent", "agents", "install", "skill":
		return "hob setup AGENT to add hob to an AI agent"
	case "settings", "set", "edit", "init", "preferences":
		return "hob config, which shows the path of the file to edit"
	case "doctor", "check", "diagnose":
		return "hob config for the settings, hob hosts check HOST for a host"
	case "update", "upgrade", "self-update":
		return "update it the way it was installed: with the package manager, or with install.sh again"
	case "uninstall":
		return uninstallHint
	case "manual", "docs", "usage":
		return "hob help, or hob man | man -l -"
	}
	return ""
}

// uninstallHint lists the steps before the program itself is removed, and links to the page with all steps.
const uninstallHint = "first: hob setup AGENT --remove, and hob kill $(hob list --running -q)\n" +
	"all steps: https://github.com/hobjobs/hob/blob/main/docs/uninstall.md"

// useInstead returns the hint for a command of another tool, with the typed arguments; "" if it is unknown.
func useInstead(words []string) string {
	answer := otherWord(words[0])
	if answer == "" {
		return ""
	}
	args := words[1:]
	if len(args) > 0 && args[0] != "" && !strings.HasPrefix(args[0], "-") {
		first, all := shellword.Quote(args[0]), shellword.Join(args)
		if len(args) > 1 {
			answer = strings.Replace(answer, "DATA", shellword.Quote(strings.Join(args[1:], " ")), 1)
			answer = strings.Replace(answer, "HOST CMD", first+" "+shellword.Join(args[1:]), 1)
		}
		answer = strings.NewReplacer("CMD", all, "ID", first, "HOST", first, ":PORT", ":"+strings.TrimPrefix(first, ":")).Replace(answer)
	}
	if _, err := exec.LookPath(words[0]); err == nil {
		answer += ". To run " + words[0] + " as a job: hob run " + shellword.Join(words)
	}
	if strings.HasPrefix(answer, "hob") {
		answer = "Use: " + answer
	}
	return answer
}

// runFlagsFirst returns the hint for flags of run that were typed without it, as in hob -b make; "" for other
// flags.
func runFlagsFirst(root *cobra.Command, args []string) string {
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	flag := run.Flags().Lookup(name)
	if name != "" && !strings.HasPrefix(args[0], "--") {
		flag = run.Flags().ShorthandLookup(name[:1])
	}
	if flag == nil {
		return ""
	}
	return "Use: hob run " + shellword.Join(args)
}

// otherFlag returns how to do in a command of hob what this flag does in other tools; "" if it is unknown.
func otherFlag(command, flag string) string {
	switch flag {
	case "a", "all":
		return allHint(command)
	case "f", "force", "rf", "fr":
		return forceHint(command)
	}
	switch command {
	case "kill":
		return signalHint(flag)
	case "list":
		switch flag {
		case "n", "limit", "tail", "head", "lines", "count", "last":
			return "the newest ten: hob list | head"
		case "l", "w", "wide", "long", "x", "ax", "aux", "la":
			return "hob list shows what fits; for all fields: hob list --json"
		}
	}
	return ""
}

func forceHint(command string) string {
	switch command {
	case "kill":
		return "to kill at once: --grace 0s"
	case "clear", "remove":
		return "hob " + command + " does not ask; to delete without undo: hob clear --now"
	case "run":
		return "to run it a second time, leave out --once"
	}
	return ""
}

// signalHint is otherFlag for flags such as -9, -HUP or -SIGINT.
func signalHint(flag string) string {
	switch name := strings.TrimPrefix(strings.ToUpper(flag), "SIG"); name {
	case "9", "KILL":
		return "to kill a job with all its processes at once: --grace 0s"
	case "15", "TERM":
		return "hob kill sends SIGTERM first; to send only that: --signal TERM"
	case "1", "2", "3", "HUP", "INT", "QUIT", "USR1", "USR2", "STOP", "CONT":
		return "to send only this signal: --signal " + name
	}
	return ""
}

// otherArgument returns a hint for an argument that a command does not accept; "" if there is none.
func otherArgument(command string, args []string) string {
	last := args[len(args)-1]
	switch command {
	case "list":
		switch last {
		case "running", "finished", "failed", "all", "here":
			return "Use: hob list --" + last
		case "queued":
			return "Use: hob queue"
		case "ended", "done", "exited":
			return "Use: hob list --finished"
		}
		return "one job: hob status " + shellword.Quote(last) + "; a host: hob list --on HOST; a directory: hob list --dir DIR"
	case "log":
		lines, job := args[1], args[0]
		if isNumber(job) {
			lines, job = job, lines
		}
		if isNumber(lines) {
			return "Use: hob log -n " + lines + " " + shellword.Quote(job)
		}
	case "config":
		return "to change settings, edit " + config.Load().Path + "; hob config checks it"
	}
	return ""
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
