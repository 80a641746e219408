package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
func expandEnv(s string, lookup func(string) (string, bool)) (expanded string, err error) {
	if open := regexp.MustCompile(`\$\{([^}]*$|\})`); open.MatchString(strings.ReplaceAll(s, "$$", "")) {
		return "", errors.New("a name or a closing } is missing")
	}
	expanded = os.Expand(s, func(name string) string {
		text, failed := expandOne(name, lookup)
		err = cmp.Or(err, failed)
		return text
	})
	return expanded, err
}

// expandOne returns the value of what follows a $ or is between ${ and }.
func expandOne(s string, lookup func(string) (string, bool)) (string, error) {
	m := regexp.MustCompile(`(?s)^([A-Za-z_][A-Za-z0-9_]*)((:?)[-=](.*))?$`).FindStringSubmatch(s)
	switch {
	case s == "$":
		return "$", nil
	case m == nil && len(s) == 1:
		return "$" + s, nil // for the shell, such as $1
	case m == nil:
		return "", fmt.Errorf("${%s} is not supported", s)
	}
	text, ok := lookup(m[1])
	if m[2] != "" && (!ok || text == "" && m[3] == ":") {
		return m[4], nil
	}
	return text, nil
}
