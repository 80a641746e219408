package engine

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/hobjobs/hob/internal/shellword"
)

// startHint returns what to run instead of a command that could not be started on this machine, as far as
// the command and the job's directory show it; "" if they don't.
func startHint(dir string, command []string) string {
	if len(command) == 0 {
		return ""
	}
	program, line := command[0], shellword.Join(command)
	switch {
	case isShellLine(command):
		return "to run a shell command line: hob run -c " + shellword.Quote(program)
	case isAssignment(program):
		return assignmentHint(command)
	}
	switch program {
	case "cd", ".", "alias", "eval", "exec", "export", "set", "ulimit", "umask", "unset", "for", "if", "while":
		return program + " is a shell command: hob run -c " + shellword.Quote(line)
	case "declare", "popd", "pushd", "shopt", "source":
		return program + " is a shell command: hob run bash -c " + shellword.Quote(line)
	}
	return fileHint(dir, program, line)
}

// isShellLine reports whether a command is one argument that looks like a line for a shell.
func isShellLine(command []string) bool {
	return len(command) == 1 && strings.ContainsAny(command[0], " ;|&<>$")
}

// isAssignment reports whether a word has the form NAME=VALUE.
func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	other := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return found && name != "" && !strings.ContainsFunc(name, other)
}

// assignmentHint is startHint for a command that begins with variables, as a shell has them.
func assignmentHint(command []string) string {
	hint := "to set a variable: hob run"
	for i, word := range command {
		if !isAssignment(word) {
			return hint + " " + shellword.Join(command[i:])
		}
		hint += " -e " + shellword.Quote(word)
	}
	return hint + " COMMAND"
}

// fileHint is startHint for the name of a file, which has to be executable and needs its path.
func fileHint(dir, program, line string) string {
	path := program
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	switch fi, err := os.Stat(path); {
	case err != nil:
		return ""
	case fi.IsDir():
		return program + " is a directory; to run a command there: hob run -C " + shellword.Quote(program) + " COMMAND"
	case fi.Mode()&0o111 == 0 && interpreterOf(program) != "":
		return program + " is not executable; to run it: hob run " + interpreterOf(program) + " " + line
	case fi.Mode()&0o111 == 0:
		return program + " is not executable; to fix this: chmod +x " + shellword.Quote(program)
	case !strings.ContainsRune(program, filepath.Separator):
		return "a program in this directory needs its path: hob run ./" + line
	}
	return ""
}

// interpreterOf returns the command that usually runs a file of this name, or "".
func interpreterOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".js", ".mjs", ".cjs":
		return "node"
	case ".py":
		return "python3"
	case ".sh":
		return "sh"
	case ".bash":
		return "bash"
	case ".rb":
		return "ruby"
	case ".pl":
		return "perl"
	case ".php":
		return "php"
	case ".jar":
		return "java -jar"
	case ".go":
		return "go run"
	}
	return ""
}

// aliasHint returns how to run what may be an alias or a function: only an interactive shell has those.
func aliasHint(command []string) string {
	shell := filepath.Base(cmp.Or(os.Getenv("SHELL"), "bash"))
	return "if " + command[0] + " is an alias or function of your shell: hob run " + shell + " -ic " + shellword.Quote(shellword.Join(command))
}
