// Package jobname makes the names of jobs: from a command whose user gave none, and short enough for a row
// of a list.
package jobname

import (
	"cmp"
	"path"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hobjobs/hob/internal/shellword"
)

const (
	maxName      = 48      // columns
	maxNameWords = 3       // the program and its first arguments
	maxNameInput = 4 << 10 // bytes of a script that are examined
	maxNameDepth = 4       // sh -c inside sh -c

	digits = "0123456789"
)

// Of returns a name for a job from its command: the program and its first arguments,
// without options and without commands that only prepare it (cd, assignments, sudo, env, sh -c). A
// script that begins with anything but a plain command is named after its first line.
func Of(command []string, script string) string {
	name := ""
	if len(command) > 0 {
		name = nameOfWords(command, maxNameDepth)
	} else {
		name = nameOfScript(script, maxNameDepth)
	}
	if name = Clip(name); name == "" {
		return "job"
	}
	return name
}

// nameOfScript names the first command of a script that does more than prepare.
func nameOfScript(script string, depth int) string {
	script = script[:min(len(script), maxNameInput)]
	spare := ""
	for rest := strings.TrimSpace(script); rest != ""; rest = strings.TrimSpace(rest) {
		words, after, simple := splitCommand(rest)
		switch {
		case !simple, !isPlain(words):
			line, _, _ := strings.Cut(rest, "\n")
			return line
		case len(words) == 0:
		case prepares(words):
			if spare == "" {
				spare = strings.Join(words, " ")
			}
		default:
			if name := nameOfWords(words, depth); name != "" {
				return name
			}
		}
		rest = after
	}
	if spare != "" {
		return spare
	}
	return strings.TrimSpace(script)
}

// nameOfWords names a simple command.
func nameOfWords(words []string, depth int) string {
	for len(words) > 1 && precedesCommand(words[0], words[1]) {
		words = words[1:]
	}
	if len(words) == 0 || isAssignment(words[0]) {
		return ""
	}
	if script, ok := shellScript(words); ok && depth > 0 {
		return nameOfScript(script, depth-1)
	}
	name, named := baseName(words[0]), 1
	for i := 1; i < len(words); i++ {
		switch word := words[i]; {
		case takesNext(words, i):
			name += " " + word
		case word == "", isOption(word), isOptionNumber(words, i):
		default:
			name += " " + word
			if named++; named == maxNameWords {
				return name
			}
		}
	}
	return name
}

// precedesCommand reports whether word stands before a command whose first word is next.
func precedesCommand(word, next string) bool {
	if strings.HasPrefix(next, "-") {
		return false
	}
	return isAssignment(word) || isWrapper(word)
}

// takesNext reports whether words[i] is an option that may take the next word as its value. Only
// the program itself can decide, so both stay in the name.
func takesNext(words []string, i int) bool {
	switch word := words[i]; {
	case !isOption(word), word == "--", i+1 == len(words):
		return false
	case strings.Contains(word, "="), isOptionNumber(words, i+1): // it has its value
		return false
	}
	return !isOption(words[i+1])
}

func isOption(w string) bool { return strings.HasPrefix(w, "-") && len(w) > 1 }

// isOptionNumber reports whether words[i], which is not the first, is a number after an option, and so
// its value: -j 8, -p 8080:80, --every 30s.
func isOptionNumber(words []string, i int) bool {
	return isOption(words[i-1]) && strings.IndexAny(words[i], digits) == 0
}

// splitCommand returns the words of a script's first command, up to its first redirection, and what
// follows the command. simple reports whether the command has no parentheses.
func splitCommand(s string) (words []string, rest string, simple bool) {
	simple = true
	redirected, end := false, 0 // end is that of the last of words
	for _, w := range shellword.Split(s, shellword.Operators) {
		if !w.Operator {
			if s[w.Start] == '#' {
				_, rest, _ = strings.Cut(s[w.Start:], "\n")
				return words, rest, simple
			}
			if !redirected {
				words, end = append(words, w.Text), w.End
			}
			continue
		}
		switch {
		case strings.ContainsAny(w.Text, "<>"):
			if w.Start == end {
				words = withoutDescriptor(words)
			}
			redirected = true
		case strings.ContainsAny(w.Text, "()"):
			if !redirected {
				simple = false
			}
		default:
			return words, strings.TrimLeft(s[w.End:], ";&|\n\r"), simple
		}
	}
	return words, "", simple
}

// withoutDescriptor returns words without the number of the descriptor that a redirection right after
// them redirects.
func withoutDescriptor(words []string) []string {
	last := len(words) - 1
	if last >= 0 && strings.Trim(words[last], digits) == "" {
		return words[:last]
	}
	return words
}

// isPlain reports whether words are a simple command: not a loop, condition, group or function, and
// without command substitution.
func isPlain(words []string) bool {
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "for", "while", "until", "if", "case", "select", "function", "{", "!":
		return false
	}
	return !strings.Contains(strings.Join(words, " "), "$(")
}

// prepares reports whether a simple command only prepares the one after it.
func prepares(words []string) bool {
	switch words[0] {
	case "cd", "export", "set", "source", ".", "umask", "ulimit", "trap", ":", "true", "[", "[[", "test":
		return true
	}
	return len(words) == 1 && words[0] == "exec" // with only redirections
}

// isWrapper reports whether a program runs its arguments as a command. Followed by an option it
// stays in the name, since only the program itself can decide how many words belong to the option.
func isWrapper(program string) bool {
	switch baseName(program) {
	case "sudo", "doas", "env", "time", "nice", "nohup", "npx", "exec", "command", "setsid":
		return true
	}
	return false
}

// shellScript returns the script of `sh -c SCRIPT`, for any common shell and with further letters
// before the c (`bash -lc`).
func shellScript(words []string) (script string, ok bool) {
	switch baseName(words[0]) {
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "ash":
	default:
		return "", false
	}
	if len(words) < 3 {
		return "", false
	}
	letters, isFlag := strings.CutPrefix(words[1], "-")
	return words[2], isFlag && strings.HasSuffix(letters, "c")
}

// isAssignment reports whether a shell would parse w as a variable assignment.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && shellword.IsName(name)
}

func baseName(w string) string {
	switch b := path.Base(w); b {
	case ".", "/":
		return w
	default:
		return b
	}
}

// joiner is the zero-width joiner, which combines several emoji into one, such as a family.
const joiner = "\u200d"

// Clip returns s as one line of printable text, at most maxName columns wide in any terminal.
func Clip(s string) string {
	var l line
	for cluster := graphemes.FromString(strings.ToValidUTF8(s, "\uFFFD")); cluster.Next(); {
		if !l.add(cluster.Value()) {
			return l.shortened()
		}
	}
	return l.text.String()
}

// line is the text that Clip makes of the beginning of another one.
type line struct {
	text  strings.Builder
	width int
	space bool // a space comes before the next character

	// The lengths of text that leave room for the ellipsis: the longest one, and the longest one that ends with a
	// whole cluster.
	fits, whole int
}

// lineWidth is the width of a line that leaves room for the ellipsis.
const lineWidth = maxName - 2

// add appends the printable characters of a cluster. It returns false if the line is too narrow for them.
func (l *line) add(cluster string) bool {
	for _, r := range strings.TrimRight(cluster, joiner) {
		switch {
		case string(r) == joiner:
			if l.text.Len() > 0 && !l.space {
				l.text.WriteString(joiner)
			}
		case unicode.IsSpace(r):
			l.space = l.text.Len() > 0
		case !unicode.IsPrint(r):
		case !l.addCharacter(r):
			return false
		}
	}
	if l.width <= lineWidth {
		l.whole = l.text.Len()
	}
	return true
}

// addCharacter appends a character and the space before it. It returns false if the line is too narrow for it.
func (l *line) addCharacter(r rune) bool {
	width := l.width + 1
	if r >= 0x1100 { // it may be wide
		width++
	}
	if l.space {
		width++
	}
	if width > maxName {
		return false
	}
	if l.space {
		l.text.WriteByte(' ')
		l.space = false
	}
	l.text.WriteRune(r)
	l.width = width
	if width <= lineWidth {
		l.fits = l.text.Len()
	}
	return true
}

// shortened returns the line with an ellipsis, without the cluster that is cut by it. A cluster that is as wide as a
// line is cut anywhere.
func (l *line) shortened() string {
	return strings.TrimRight(l.text.String()[:cmp.Or(l.whole, l.fits)], " ") + "…"
}
