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
		name = simpleName(argvWords(command), maxNameDepth)
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

// argvWords are the words of an argument vector that are looked at.
func argvWords(command []string) []string {
	ws := make([]string, 0, len(command))
	left := maxNameInput
	for _, c := range command {
		if left <= 0 {
			break
		}
		c = c[:min(len(c), left)]
		left -= len(c) + 1
		ws = append(ws, c)
	}
	return ws
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
		if w != "" && w[0] != '-' && !isValue(parts[0], words[i], w) {
			parts = append(parts, w)
		}
	}
	return strings.Join(parts, " ")
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
