package engine

import (
	"path"
	"strings"
	"unicode"
)

const (
	maxName      = 48      // columns
	maxNameWords = 3       // the verb and its first targets
	maxNameInput = 4 << 10 // bytes of a command that are looked at
	maxNameDepth = 4       // sh -c inside of sh -c
)

// deriveName names a job by what it runs: wrappers, assignments, changes of
// directory and options left out, the verb and its first targets.
func deriveName(command []string, script string) string {
	name := ""
	if len(command) > 0 {
		name = nameOf(argvWords(command), maxNameDepth)
	} else {
		name = nameOf(scriptWords(script), maxNameDepth)
		if name == "" {
			name = firstLine(script)
		}
	}
	if name = clipName(name); name == "" {
		return "job"
	}
	return name
}

// word is a word of a shell command, or an operator such as "&&".
type word struct {
	text     string
	operator bool
}

func argvWords(command []string) []word {
	ws := make([]word, 0, len(command))
	left := maxNameInput
	for _, c := range command {
		if left <= 0 {
			break
		}
		c = c[:min(len(c), left)]
		left -= len(c) + 1
		ws = append(ws, word{text: c})
	}
	return ws
}

// scriptWords splits a script as a shell would, without understanding it: quotes
// and backslashes keep words together, an unterminated quote reaches to the end.
func scriptWords(script string) []word {
	script = script[:min(len(script), maxNameInput)]
	var ws []word
	var b strings.Builder
	inWord := false
	flush := func() {
		if inWord {
			ws = append(ws, word{text: b.String()})
		}
		b.Reset()
		inWord = false
	}
	for i := 0; i < len(script); i++ {
		switch c := script[i]; c {
		case ' ', '\t', '\r':
			flush()
		case '\n', ';', '|', '&', '<', '>', '(', ')':
			flush()
			op := string(c)
			if i+1 < len(script) && script[i+1] == c && (c == '&' || c == '|' || c == '<' || c == '>') {
				op += op
				i++
			}
			ws = append(ws, word{text: op, operator: true})
		case '#':
			if inWord {
				b.WriteByte(c)
				continue
			}
			for i+1 < len(script) && script[i+1] != '\n' {
				i++
			}
		case '\'':
			inWord = true
			end := strings.IndexByte(script[i+1:], '\'')
			if end < 0 {
				end = len(script) - i - 1
			}
			b.WriteString(script[i+1 : i+1+end])
			i += end + 1
		case '"':
			inWord = true
			for i++; i < len(script) && script[i] != '"'; i++ {
				// Between such quotes few characters need it, before others it stays.
				if script[i] == '\\' && i+1 < len(script) && strings.IndexByte("\\\"$`\n", script[i+1]) >= 0 {
					if i++; script[i] == '\n' {
						continue
					}
				}
				b.WriteByte(script[i])
			}
		case '\\':
			if i+1 >= len(script) {
				continue
			}
			i++
			if script[i] != '\n' {
				inWord = true
				b.WriteByte(script[i])
			}
		default:
			inWord = true
			b.WriteByte(c)
		}
	}
	flush()
	return ws
}

// nameOf names the first simple command that does more than prepare.
func nameOf(ws []word, depth int) string {
	spare := ""
	for len(ws) > 0 {
		end := 0
		for end < len(ws) && !ws[end].operator {
			end++
		}
		simple := make([]string, 0, end)
		for _, w := range ws[:end] {
			simple = append(simple, w.text)
		}
		name := simpleName(simple, depth)
		if len(simple) > 0 && !prepares(simple[0]) && name != "" {
			return name
		}
		if spare == "" {
			spare = name
		}
		ws = ws[min(end+1, len(ws)):]
	}
	return spare
}

// prepares reports whether a command only sets the scene for the next one.
func prepares(verb string) bool {
	switch verb {
	case "cd", "pushd", "export", "set", "unset", "source", ".", "umask", "ulimit", "trap", "true", ":":
		return true
	}
	return false
}

// wrapperOptions are, for each wrapper, its options that take the next word.
func wrapperOptions(verb string) (withValue string, operands int, ok bool) {
	switch verb {
	case "sudo", "doas":
		return " -u -g -h -p -C -D -R -T -U --user --group --chdir ", 0, true
	case "env":
		return " -u -C -S --unset --chdir ", 0, true
	case "nice":
		return " -n --adjustment ", 0, true
	case "time":
		return " -f -o --format --output ", 0, true
	case "npx", "bunx", "pnpx":
		return " -p --package -c --call ", 0, true
	case "timeout":
		return " -k -s --kill-after --signal ", 1, true
	case "stdbuf":
		return " -i -o -e ", 0, true
	case "ionice":
		return " -c -n -p ", 0, true
	case "nohup", "exec", "command", "setsid", "builtin":
		return "", 0, true
	}
	return "", 0, false
}

func simpleName(words []string, depth int) string {
	for len(words) > 0 {
		if isAssignment(words[0]) {
			words = words[1:]
			continue
		}
		verb := baseName(words[0])
		if script, ok := shellScript(verb, words[1:]); ok && depth > 0 {
			return nameOf(scriptWords(script), depth-1)
		}
		withValue, operands, ok := wrapperOptions(verb)
		if !ok {
			break
		}
		rest := skipOptions(words[1:], withValue)
		rest = rest[min(operands, len(rest)):]
		if len(rest) == 0 { // the wrapper itself is what runs
			return verb
		}
		words = rest
	}
	if len(words) == 0 {
		return ""
	}
	parts := []string{baseName(words[0])}
	for i, w := range words[1:] {
		if len(parts) == maxNameWords {
			break
		}
		if w != "" && w[0] != '-' && !isValue(words[i], w) {
			parts = append(parts, w)
		}
	}
	return strings.Join(parts, " ")
}

// isValue reports whether w belongs to the option before it, and is no target. Of
// most options nobody can know: a number is, and what follows those that mean the
// same everywhere.
func isValue(before, w string) bool {
	if len(before) < 2 || before[0] != '-' || strings.Contains(before, "=") {
		return false
	}
	if strings.Trim(w, "0123456789.") == "" && strings.Trim(w, ".") != "" {
		return true
	}
	switch before {
	case "--port", "--host", "--config", "--mode", "--env-file", "--name", "--user", "--output", "--timeout", "--log-level":
		return true
	}
	return false
}

func skipOptions(words []string, withValue string) []string {
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		option := words[0]
		words = words[1:]
		if option == "--" {
			break
		}
		if strings.Contains(withValue, " "+option+" ") && len(words) > 0 {
			words = words[1:]
		}
	}
	return words
}

// shellScript is the script of `sh -c SCRIPT`, whatever the shell and whatever
// comes with the -c (`bash -lc`).
func shellScript(verb string, args []string) (script string, ok bool) {
	switch verb {
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "ash":
	default:
		return "", false
	}
	for i, a := range args {
		if len(a) < 2 || a[0] != '-' {
			return "", false
		}
		if a[1] != '-' && strings.HasSuffix(a, "c") && i+1 < len(args) {
			return args[i+1], true
		}
	}
	return "", false
}

func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	if !ok || name == "" || '0' <= name[0] && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

func baseName(w string) string {
	if b := path.Base(w); b != "." && b != "/" && w != "" {
		return b
	}
	return w
}

func firstLine(s string) string {
	s = s[:min(len(s), maxNameInput)]
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// clipName makes one line of printable text of s, at most maxName columns wide
// by the widest any terminal draws it.
func clipName(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	width, cut, space := 0, 0, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if !unicode.IsPrint(r) {
			continue
		}
		w := 1
		if r >= 0x1100 {
			w = 2
		}
		if space {
			w++
		}
		if width+w > maxName {
			return strings.TrimRight(b.String()[:cut], " ") + "…"
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		if width += w; width <= maxName-2 { // room for the mark of the cut
			cut = b.Len()
		}
	}
	return b.String()
}
