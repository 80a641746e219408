package agents

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hobjobs/hob/internal/shellword"
)

// detached is a shell command of which a part runs as a job.
type detached struct {
	before string // what the shell runs before it starts the job, up to the ;
	script string // the job
	after  string // what the shell runs then
	waits  bool   // the agent waits in the background until the job ends
}

// detach returns the job that hob makes of a shell command of an agent. flagged reports that
// the agent itself runs the command in the background. A command that hob cannot be sure
// about, such as one that uses its background process later, is left alone.
func detach(command string, flagged bool) (detached, bool) {
	words := split(command)
	if runsHob(words) {
		return detached{}, false
	}
	d, ok := inBackground(words, command)
	if !flagged {
		return d, ok
	}
	others := d.before + d.after
	if !ok || others != "" {
		d = detached{script: strings.TrimSpace(command)}
	}
	d.waits = true
	return d, d.script != ""
}

// word is a word or an operator of a shell command.
type word struct {
	text       string
	start, end int // offsets in the command
	operator   bool
	opaque     bool // it has what words do not show: a substitution, a subshell, a here document
}

// isOperator reports whether w is one of these operators.
func (w word) isOperator(operators ...string) bool {
	return w.operator && slices.Contains(operators, w.text)
}

// isPlain reports whether w is one of these words.
func (w word) isPlain(words ...string) bool { return !w.operator && slices.Contains(words, w.text) }

// separates reports whether w ends a list of commands.
func (w word) separates() bool { return w.isOperator(";", "\n") }

// precedesCommand reports whether a command follows w, not a file.
func (w word) precedesCommand() bool { return w.operator && !redirects(w) }

// split returns the words and operators of a command, as they are written.
func split(command string) (words []word) {
	for _, w := range shellword.Split(command, shellword.Operators) {
		text := command[w.Start:w.End]
		opaque := w.Expands || w.Open != 0
		switch {
		case text[0] == '#':
			opaque = true
		case w.Operator && (text == "<<" || strings.ContainsAny(text, "()")):
			opaque = true
		}
		words = append(words, word{text, w.Start, w.End, w.Operator, opaque})
	}
	return words
}

// lazily returns a function that compiles an expression when it is first called: every other command
// of hob would pay for it at its start.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// usesProcess matches what a shell does with its background processes.
var usesProcess = lazily(`\$!|%[0-9+-]|\b(wait|jobs|fg|bg|disown)\b`)

// compound are the words with which a command is not a simple one.
var compound = lazily(`^(if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|time|[{}!]|\[\[)$`)

var assignment = lazily(`^[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=`)

// discards matches the end of a command that throws its output away, because nothing would read
// it. A job keeps its output.
var discards = lazily(`\s+(&>|1?>)\s*/dev/null(\s+2>&1|\s+2>\s*/dev/null)?(\s*<\s*/dev/null)?$`)

// inBackground finds the command in front of the only & of a line.
func inBackground(words []word, command string) (d detached, ok bool) {
	is := func(w word) bool { return w.isOperator("&") }
	at := slices.IndexFunc(words, is)
	if at <= 0 || slices.IndexFunc(words[at+1:], is) >= 0 {
		return d, false
	}
	first, starts := 0, true
	for i, w := range words[:at] {
		isCompound := starts && compound().MatchString(w.text)
		if w.opaque || isCompound {
			return d, false
		}
		if starts = w.precedesCommand(); w.separates() {
			first = i + 1
		}
	}
	if first == at || changesShell(words[:first]) {
		return d, false
	}
	if d.script, ok = withoutNohup(words[first:at], command); !ok {
		return d, false
	}
	if readsShell().MatchString(d.script) {
		return d, false
	}
	if short := discards().ReplaceAllString(d.script, ""); short != "" {
		d.script = short
	}
	d.before = command[:words[first].start]
	if rest := words[at+1:]; !abandonsProcess(rest) {
		d.after = strings.TrimSpace(command[words[at].end:])
		ok = !usesProcess().MatchString(d.after)
	}
	return d, ok
}

// redirects reports whether a file, not a command, follows w.
func redirects(w word) bool { return strings.ContainsAny(w.text, "<>") }

// abandonsProcess reports whether the words after an & do nothing but give up the process, or print
// its number.
func abandonsProcess(words []word) bool {
	starts := true
	for _, w := range words {
		mayStart := w.separates() || w.isPlain("disown", "echo")
		switch {
		case w.opaque:
			return false
		case starts && !mayStart:
			return false
		case w.operator && !w.separates():
			return false
		}
		starts = w.operator
	}
	return true
}

// withoutNohup returns the text of the words without nohup and setsid in front of a command: a
// job needs neither, and nohup would write nohup.out.
func withoutNohup(words []word, command string) (string, bool) {
	var b strings.Builder
	at, first := words[0].start, true
	for i := 0; i < len(words); i++ {
		w := words[i]
		if first && w.isPlain("nohup", "setsid") {
			if i+1 == len(words) || strings.HasPrefix(words[i+1].text, "-") {
				return "", false
			}
			b.WriteString(command[at:w.start])
			at = words[i+1].start
			continue
		}
		if first && assignment().MatchString(w.text) {
			continue // the command comes after it
		}
		first = w.isOperator("&&", "||", "|")
	}
	b.WriteString(command[at:words[len(words)-1].end])
	return b.String(), true
}

// runsHob reports whether a command of the line is hob itself.
func runsHob(words []word) bool {
	first := true
	for _, w := range words {
		if first && !w.operator && path.Base(w.text) == "hob" {
			return true
		}
		first = w.operator
	}
	return false
}

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
		end := slices.IndexFunc(words, word.precedesCommand)
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
	if at < 0 { // assignments alone
		return true
	}
	name, args := unquoted(words[at].text), words[at+1:]
	if slices.Contains(builtins, name) || redirects(words[at]) { // a redirection may precede anything
		return true
	}
	if len(args) == 0 {
		return false
	}
	switch name {
	case "export", "printf", "print": // functions, printf -v
		return strings.HasPrefix(unquoted(args[0].text), "-")
	}
	isDescriptor := strings.Trim(words[at].text, "0123456789") == "" // of a redirection
	return isDescriptor
}

func unquoted(text string) string {
	return strings.NewReplacer(`\`, "", `"`, "", "'", "").Replace(text)
}
