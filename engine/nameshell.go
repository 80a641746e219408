package engine

import "strings"

// word is a word of a shell command, or an operator such as "&&".
type word struct {
	text     string
	operator bool
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
		if n := substitution(script[i:]); n > 0 {
			inWord = true
			b.WriteString(script[i : i+n])
			i += n - 1
			continue
		}
		switch c := script[i]; c {
		case ' ', '\t', '\r':
			flush()
		case '\n', ';', '|', '&', '<', '>', '(', ')':
			if (c == '<' || c == '>') && isNumber(b.String()) { // the descriptor
				b.Reset()
				inWord = false
			}
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

// substitution is the length of the $(command) or $((sum)) that s begins with, which
// belongs to the word around it; 0 if it begins with none that ends.
func substitution(s string) int {
	if !strings.HasPrefix(s, "$(") {
		return 0
	}
	depth := 0
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\\':
			i++
		case '\'', '"':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 {
				return 0
			}
			i += end + 1
		}
	}
	return 0
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// nextSimple cuts the words up to the next operator off, without redirections and
// what they go to.
func nextSimple(ws []word) (simple []string, operator string, rest []word) {
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		switch {
		case !w.operator:
			simple = append(simple, w.text)
		case w.text[0] == '<' || w.text[0] == '>':
			if i+1 < len(ws) && ws[i+1].operator && ws[i+1].text == "&" {
				i++
			}
			if i+1 < len(ws) && !ws[i+1].operator {
				i++
			}
		default:
			return simple, w.text, ws[i+1:]
		}
	}
	return simple, "", nil
}

// nameOf names the first simple command of a script that does more than prepare.
// Of a loop or a condition that is the first that is done in it.
func nameOf(ws []word, depth int) string {
	spare := ""
	var c compound
	for len(ws) > 0 {
		simple, operator, rest := nextSimple(ws)
		ws = rest
		simple = c.enter(simple, operator)
		if len(simple) == 0 || operator == "(" && len(simple) == 1 { // the head of a function
			continue
		}
		name := simpleName(simple, depth)
		if name != "" && !prepares(simple) && !c.waits(simple[0]) {
			return name
		}
		if spare == "" {
			spare = name
		}
	}
	return spare
}

// compound is where in loops, conditions and choices a command stands.
type compound struct {
	list  bool // what a loop goes over
	tests bool // what decides whether something is done
	loops int
	cases int
}

// enter takes the words of a simple command that belong to the compound commands
// around it, and returns the others.
func (c *compound) enter(simple []string, operator string) []string {
	for len(simple) > 0 {
		switch simple[0] {
		case "for", "select":
			c.list = true
		case "while", "until", "if", "elif":
			c.tests = true
		case "do":
			c.list, c.tests = false, false
			c.loops++
		case "then":
			c.tests = false
		case "done":
			c.loops--
			return nil
		case "fi", "}":
			return nil
		case "case":
			c.cases++
			return nil
		case "esac":
			c.cases--
			return nil
		case "function":
			return nil
		case "else", "{", "!":
		default:
			if c.list || c.cases > 0 && operator == ")" { // a choice
				return nil
			}
			return simple
		}
		simple = simple[1:]
	}
	return nil
}

// waits reports whether a command only decides or delays what the others do.
func (c *compound) waits(verb string) bool { return c.tests || c.loops > 0 && verb == "sleep" }

// prepares reports whether a command only sets the scene for the next one.
func prepares(simple []string) bool {
	switch simple[0] {
	case "cd", "pushd", "export", "set", "unset", "source", ".", "umask", "ulimit", "trap", "true", ":", "[", "[[", "test", "local", "readonly", "shopt", "wait":
		return true
	case "exec": // of nothing, it only redirects
		return len(simple) == 1
	case "echo": // of a pid or a code: about another command
		return len(simple) == 2 && (simple[1] == "$!" || simple[1] == "$$" || simple[1] == "$?")
	}
	return false
}
