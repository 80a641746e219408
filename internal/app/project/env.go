package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
)

// dotenv reads a file of lines NAME=VALUE. Without the file there are no variables. Lines of another
// form are noted.
func (p *parser) dotenv(path string) map[string]string {
	env := map[string]string{}
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return env
	}
	name := filepath.Base(path)
	if err != nil {
		p.plan.Notes = append(p.plan.Notes, Note{name, 1, fmt.Sprintf("it cannot be read: %v", err)})
		return env
	}
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, text, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		key = strings.TrimSpace(key)
		text, closed := unquote(strings.TrimSpace(text))
		if !ok || !closed || key == "" || strings.ContainsAny(key, " \t\x00") || strings.ContainsRune(text, 0) {
			p.plan.Notes = append(p.plan.Notes, Note{name, i + 1, "not of the form NAME=VALUE"})
			continue
		}
		env[key] = text
	}
	return env
}

// unquote returns a value without its quotation marks or the comment behind it. closed is false if
// the second mark is missing.
func unquote(s string) (text string, closed bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		if comment := strings.Index(s, " #"); comment >= 0 {
			s = strings.TrimSpace(s[:comment])
		}
		return s, true
	}
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), true
		case s[i] == '\\' && quote == '"' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case '"', '\\', '$':
				b.WriteByte(s[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", false
}

// portOf returns the port of the process at index, from that of the first one.
func portOf(base string, index int) string {
	n, err := strconv.Atoi(base)
	if err != nil {
		return base
	}
	return strconv.Itoa(n + 100*index)
}

// expandEnv replaces $NAME, ${NAME}, ${NAME-DEFAULT} and ${NAME:-DEFAULT} by the values of lookup,
// which are empty for a variable that is not set, and $$ by $.
func expandEnv(s string, lookup func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		switch next := s[i+1]; {
		case next == '$':
			b.WriteByte('$')
			i++
		case next == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				return "", errors.New("a closing } is missing")
			}
			text, err := expandOne(s[i+2:i+end], lookup)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			i += end
		case nameLength(s[i+1:]) > 0:
			n := nameLength(s[i+1:])
			text, _ := lookup(s[i+1 : i+1+n])
			b.WriteString(text)
			i += n
		default:
			b.WriteByte('$')
		}
	}
	return b.String(), nil
}

// expandOne returns the value of what stands between ${ and }.
func expandOne(s string, lookup func(string) (string, bool)) (string, error) {
	n := nameLength(s)
	text, ok := lookup(s[:n])
	rest := s[n:]
	switch {
	case n == 0:
	case rest == "":
		return text, nil
	case strings.HasPrefix(rest, ":-"), strings.HasPrefix(rest, ":="):
		if text == "" {
			return rest[2:], nil
		}
		return text, nil
	case rest[0] == '-', rest[0] == '=':
		if !ok {
			return rest[1:], nil
		}
		return text, nil
	}
	return "", fmt.Errorf("${%s} is not supported", s)
}

// nameLength returns the length of the variable name that s begins with.
func nameLength(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= 'a' && s[n] <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// copyOf returns a copy of env, not nil.
func copyOf(env map[string]string) map[string]string {
	clone := map[string]string{}
	maps.Copy(clone, env)
	return clone
}
