package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/shellword"
)

// notVariable is the note for what is not the name of a variable. It does not quote the text, which may
// be a part of a secret.
const notVariable = "not of the form NAME=VALUE, where NAME has only letters, digits and _, and does not begin with a digit"

// notRead is added to a note after which it is not certain what is a part of a secret.
const notRead = "; the rest of the file is not read"

// dotenv reads a file of variables. Without the file there are none.
func (p *parser) dotenv(path string) map[string]string {
	data, err := plainfile.ReadLinked(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}
	}
	name := filepath.Base(path)
	if err != nil {
		p.plan.Notes = append(p.plan.Notes, Note{name, 1, fmt.Sprintf("it cannot be read: %v", err)})
		return map[string]string{}
	}
	return p.dotenvText(name, string(data))
}

// dotenvText returns the variables of a text of lines NAME=VALUE. A value in quotation marks may have
// several lines. What has another form is noted.
func (p *parser) dotenvText(file, text string) map[string]string {
	env := map[string]string{}
	rest := strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	for line := 1; rest != ""; {
		e := nextVariable(rest)
		switch {
		case e.wrong != "":
			p.plan.Notes = append(p.plan.Notes, Note{file, line, e.wrong})
		case e.name != "":
			env[e.name] = e.value
		}
		line += strings.Count(rest[:e.size], "\n")
		rest = rest[e.size:]
	}
	return env
}

// envEntry is what is read from a file of variables at once: a line, or the lines of a quoted value.
type envEntry struct {
	name, value string // an empty name: it has no variable
	wrong       string // why it cannot be read; empty if it can
	size        int    // in bytes, with the end of the line
}

// nextVariable reads the entry at the beginning of text. Lines of a quoted value may look like
// variables; if it is not certain where the value ends, the entry extends to the end of the text, so
// that no part of a secret is taken for a name.
func nextVariable(text string) (e envEntry) {
	line, _, ended := strings.Cut(text, "\n")
	e.size = len(line)
	if ended {
		e.size++
	}
	content := strings.TrimSpace(line)
	if content == "" || content[0] == '#' {
		return e
	}
	before, after, _ := strings.Cut(line, "=")
	before = strings.TrimSpace(before)
	if words := strings.Fields(before); len(words) == 2 && words[0] == "export" {
		before = words[1]
	}
	after = strings.TrimLeft(after, " \t")
	if after != "" && strings.ContainsRune("\"'`", rune(after[0])) {
		e.quoted(text[len(line)-len(after):], text)
	} else {
		e.value = withoutComment(after)
	}
	switch {
	case e.wrong != "":
	case isPartOfKey(line, before, after):
		e.wrong = notVariable
		if strings.TrimSpace(text[e.size:]) != "" {
			e.wrong, e.size = e.wrong+notRead, len(text)
		}
	case !shellword.IsName(before):
		e.wrong = notVariable
	case strings.ContainsRune(e.value, 0):
		e.wrong = "the value contains a NUL byte"
	default:
		e.name = before
	}
	return e
}

// isPartOfKey reports whether a line may be one of a key or a certificate, which is written in several
// lines, in base64. Others of these lines may look like variables.
func isPartOfKey(line, before, after string) bool {
	return !strings.Contains(line, "=") || strings.ContainsAny(before, "+/") || after == "="
}

// quoted reads the value of an entry that begins with a quotation mark, the first byte of from, which
// is the end of text.
func (e *envEntry) quoted(from, text string) {
	mark := from[:1]
	value, behind, closed := unquote(from)
	if !closed {
		e.wrong, e.size = "the closing "+mark+" is missing"+notRead, len(text)
		return
	}
	behind, next, _ := strings.Cut(behind, "\n")
	oneLine := len(text)-len(next) == e.size
	e.value, e.size = value, len(text)-len(next)
	if behind = strings.TrimSpace(behind); behind == "" || behind[0] == '#' {
		return
	}
	e.wrong = "text follows the closing " + mark
	if opens := strings.Count(behind, mark)%2 == 1; opens || !oneLine {
		e.wrong, e.size = e.wrong+notRead, len(text)
	}
}

// unquote returns the value between the quotation mark at the beginning of s and the next one of its
// kind, and what follows that. closed is false if there is none. Double quotes have escapes.
func unquote(s string) (value, behind string, closed bool) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && quote == '"' && i+1 < len(s):
			i++
			b.WriteString(unescape(s[i]))
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

// unescape returns what a backslash and c mean in double quotes.
func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case '"', '\\', '$':
		return string(rune(c))
	}
	return `\` + string([]byte{c})
}

// withoutComment returns a value that is not quoted.
func withoutComment(s string) string {
	if strings.HasPrefix(s, "#") {
		return ""
	}
	if comment := strings.Index(s, " #"); comment >= 0 {
		s = s[:comment]
	}
	return strings.TrimSpace(s)
}
