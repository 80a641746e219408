package agents

import (
	"slices"
	"strings"
)

// builtins change what only the shell itself has: variables that are not exported, aliases,
// options, traps, open files and limits. command and builtin may run any of them.
var builtins = strings.Fields("declare typeset local let readonly integer float read mapfile readarray getopts " +
	"alias unalias shopt set setopt unsetopt emulate autoload enable disable exec trap source . eval " +
	"umask ulimit command builtin")

// assignsWhileExpanding matches ${NAME=VALUE} and its variants.
var assignsWhileExpanding = lazily(`\$\{[A-Za-z0-9_]+:?=|\$\[`)

// readsShell matches what expands to something else in another shell: the last exit status, the
// process IDs.
var readsShell = lazily(`\$\{?([?$!]|PPID\b|BASHPID\b)`)

// changesShell reports whether commands in front of a job may change the shell in a way that the
// job, which runs in a shell of its own, would not have. Exported variables and the working
// directory are passed on.
func changesShell(words []word) bool {
	for len(words) > 0 {
		end := slices.IndexFunc(words, func(w word) bool { return w.operator && !redirects(w) })
		if end < 0 {
			end = len(words)
		}
		if commandChangesShell(words[:end]) {
			return true
		}
		words = words[min(end+1, len(words)):]
	}
	return false
}

// commandChangesShell does the same for a simple command.
func commandChangesShell(words []word) bool {
	if len(words) == 0 {
		return false
	}
	if slices.ContainsFunc(words, func(w word) bool { return assignsWhileExpanding().MatchString(w.text) }) {
		return true
	}
	at := slices.IndexFunc(words, func(w word) bool { return !assignment().MatchString(w.text) })
	if at < 0 || redirects(words[at]) || len(words) > at+1 && strings.Trim(words[at].text, "0123456789") == "" {
		return true // assignments alone, or a redirection in front of what may be anything
	}
	name := unquoted(words[at].text)
	option := len(words) > at+1 && strings.HasPrefix(unquoted(words[at+1].text), "-")
	return slices.Contains(builtins, name) ||
		option && slices.Contains([]string{"export", "printf", "print"}, name) // functions, printf -v
}

func unquoted(text string) string {
	return strings.NewReplacer(`\`, "", `"`, "", "'", "").Replace(text)
}
